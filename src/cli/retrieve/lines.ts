import type { Status } from '../../shared/gen/service/v1/common_pb.ts';
import type { RetrieveMemoryEvent } from '../../shared/gen/service/v1/memory_pb.ts';
import type { EventWriter } from '../kit/output/event-writer.ts';
import type { Io } from '../kit/output/io.ts';
import { type Column, renderTable } from '../kit/output/table.ts';
import { counted } from '../kit/text/figures.ts';
import { oneLine, wrapText } from '../kit/text/printable.ts';
import { headingOf, indentOf, marginOf, textLines, WIDEST_TEXT } from './card.ts';
import { type Entry, type ResultEntry, type RetrievalProgress, readerOf, type SummaryEntry } from './entries.ts';
import { markedParts } from './matches.ts';
import { nothingFound, type RetrievalOverview } from './plan.ts';

export interface RetrieveViewOptions {
  plan: RetrievalOverview;
  /** Whole chunks instead of their first lines. */
  full: boolean;
}

type LinesIo = Pick<Io, 'stdout' | 'stderr' | 'width' | 'color' | 'now'>;

/** Results of a retrieval for people: rank, score, name and age in a line, the text below it. */
export function retrieveLines(io: LinesIo, options: RetrieveViewOptions): EventWriter<RetrieveMemoryEvent> {
  const reader = readerOf(options.plan);
  const summary = summaryWriter(io, options);
  const write = async (entries: readonly Entry[]): Promise<void> => {
    for (const entry of entries) {
      if (entry.kind === 'summary') await summary.end(entry);
      else await writeEntry(io, entry, reader.progress, options);
    }
  };
  return {
    event: async (event) => {
      const entries = reader.read(event);
      if (reader.progress.writing !== '') await summary.writing(reader.progress.writing);
      await write(entries);
    },
    end: async () => write(reader.end()),
  };
}

/** Writes a summary line by line while it comes: a line stands when the next one has begun. */
function summaryWriter(io: LinesIo, { plan, full }: RetrieveViewOptions) {
  let written = 0;
  const writeLines = async (lines: readonly string[]): Promise<void> => {
    const heading = written === 0 && !plan.answers ? `\n${strong(io, 'Summary')}\n` : '';
    const text = lines.slice(written).map((line) => `${line}\n`);
    written = Math.max(written, lines.length);
    if (text.length > 0) await io.stdout.write(`${heading}${text.join('')}`);
  };
  return {
    writing: (text: string) => writeLines(summaryLines(text, io.width, plan.answers).slice(0, -1)),
    end: async ({ text, sources = [] }: SummaryEntry): Promise<void> => {
      await writeLines(summaryLines(text, io.width, plan.answers));
      const indent = indentOf(Math.max(0, ...sources.map(({ rank }) => rank)));
      if (sources.length > 0) await io.stdout.write('\n');
      for (const source of sources) {
        const lines = full ? resultText(io, source, { full, indent }) : sourceText(io, source, indent);
        await io.stdout.write(lines);
      }
    },
  };
}

/** A source in one line: its label in the answer, where it stands, how old it is. */
function sourceText(io: LinesIo, entry: ResultEntry, indent: number): string {
  const { label, title, age } = headingOf(entry, io.width - indent, io.now());
  return `${[`${label.padEnd(indent)}${title}`, age].filter((part) => part !== '').join('  ')}\n`;
}

/** Data goes to stdout, remarks to stderr. */
async function writeEntry(
  io: LinesIo,
  entry: Exclude<Entry, SummaryEntry>,
  progress: RetrievalProgress,
  { plan, full }: RetrieveViewOptions,
): Promise<void> {
  switch (entry.kind) {
    case 'result':
      return io.stdout.write(resultText(io, entry, { full, indent: indentOf(progress.expected ?? entry.rank) }));
    case 'note':
      return io.stderr.write(`${noteText(entry.status)}\n`);
    case 'explain':
      return io.stdout.write(`\n${explainTable(entry.details, io)}`);
    case 'nothing': {
      const [what, next] = nothingFound(progress, plan);
      return io.stderr.write(`${what} ${next}\n`);
    }
  }
}

function resultText(io: LinesIo, entry: ResultEntry, { full, indent }: { full: boolean; indent: number }): string {
  const { label, score, title, age } = headingOf(entry, io.width - indent, io.now());
  const heading = [`${label.padEnd(indent)}${score}`, title, age].filter((part) => part !== '').join('  ');
  const lines = textLines(entry, Math.min(io.width, WIDEST_TEXT) - indent, full);
  const body = lines.map((line) => `${marginOf(line, lines, indent)}${marked(io, line.text, entry)}`.trimEnd());
  return `${[strong(io, heading), ...body].join('\n')}\n`;
}

/** Words of the question stand out where there is color. */
function marked(io: LinesIo, line: string, { question }: ResultEntry): string {
  if (!io.color) return line;
  return markedParts(line, question)
    .map(({ text, isMatch }) => (isMatch ? `\u001b[33;1m${text}\u001b[39;22m` : text))
    .join('');
}

/** A summary in lines; with a margin where it stands below a heading of its own. */
export function summaryLines(text: string, width: number, answers: boolean): string[] {
  const margin = answers ? '' : ' '.repeat(indentOf(1));
  return wrapText(text, Math.min(width, WIDEST_TEXT) - margin.length).map((line) => `${margin}${line}`.trimEnd());
}

export function noteText({ code, message }: Status): string {
  return `note: ${oneLine(message)} (${oneLine(code)})`;
}

function strong({ color }: Pick<Io, 'color'>, text: string): string {
  return color ? `\u001b[1m${text}\u001b[22m` : text;
}

/** What an EXPLAIN status says, in the order in which it happens. */
const STEPS: Readonly<Record<string, string>> = {
  embedMs: 'embed',
  searchMs: 'search',
  loadMs: 'load',
  rerankMs: 'rerank',
  summarizeMs: 'summarize',
};

interface Row {
  step: string;
  ms: string;
  found: string;
}

const COLUMNS: readonly Column<Row>[] = [
  { header: 'STEP', value: ({ step }) => step },
  { header: 'MS', value: ({ ms }) => ms, align: 'right' },
  { header: 'READ', value: ({ found }) => found },
];

/** How the results were found: a line for each step that took time, and below the search one for each space. */
export function explainTable(
  { candidates = '0', ...details }: Readonly<Record<string, string>>,
  { width, color }: Pick<Io, 'width' | 'color'>,
): string {
  const spaces = Object.entries(details).filter(([name]) => name.startsWith('space.'));
  const rows = Object.entries(STEPS).flatMap(([name, step]): Row[] => {
    const ms = details[name];
    if (ms === undefined || (Number(ms) === 0 && step !== 'search')) return [];
    if (step !== 'search') return [{ step, ms, found: '' }];
    const scans = spaces.map(([space, scan]) => ({ step: '', ms: '', found: `${scan} in ${space.replace('.', ' ')}` }));
    return [{ step, ms, found: counted(Number(candidates), 'candidate') }, ...scans];
  });
  return renderTable(COLUMNS, rows, { width, rule: false, color });
}
