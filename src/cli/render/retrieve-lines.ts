import type { Status } from '../../shared/gen/service/v1/common_pb.ts';
import type { RetrieveMemoryEvent } from '../../shared/gen/service/v1/memory_pb.ts';
import type { Io } from '../io.ts';
import { type Entry, entryReader, type Progress, type ResultEntry } from '../retrieval/entries.ts';
import { markedParts } from '../retrieval/matches.ts';
import type { EventWriter } from './event-writer.ts';
import { explainTable } from './explain-table.ts';
import { oneLine } from './printable.ts';
import { headingOf, indentOf, marginOf, textLines, WIDEST_TEXT } from './retrieve-card.ts';
import { nothingFound, type RetrievalPlan } from './retrieve-words.ts';
import { wrapText } from './wrap-text.ts';

export interface RetrieveViewOptions {
  plan: RetrievalPlan;
  /** Whole chunks instead of their first lines. */
  full: boolean;
}

type LinesIo = Pick<Io, 'stdout' | 'stderr' | 'width' | 'color' | 'now'>;

/** Results of a retrieval for people: rank, score, name and age in a line, the text below it. */
export function retrieveLines(io: LinesIo, options: RetrieveViewOptions): EventWriter<RetrieveMemoryEvent> {
  const reader = entryReader(options.plan.message);
  return {
    event: async (event) => {
      const entry = reader.read(event);
      if (entry !== undefined) await writeEntry(io, entry, reader.progress, options);
    },
    end: async () => {},
  };
}

/** Data goes to stdout, remarks to stderr. */
async function writeEntry(
  io: LinesIo,
  entry: Entry,
  progress: Progress,
  { plan, full }: RetrieveViewOptions,
): Promise<void> {
  switch (entry.kind) {
    case 'result':
      return io.stdout.write(resultText(io, entry, { full, indent: indentOf(progress.expected ?? entry.rank) }));
    case 'summary': {
      const lines = summaryLines(entry.text, io.width).map((line) => `${line}\n`);
      return io.stdout.write(`\n${strong(io, 'Summary')}\n${lines.join('')}`);
    }
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

/** Words of the question stand out where there is colour. */
function marked(io: LinesIo, line: string, { question }: ResultEntry): string {
  if (!io.color) return line;
  return markedParts(line, question)
    .map(({ text, isMatch }) => (isMatch ? `\u001b[33;1m${text}\u001b[39;22m` : text))
    .join('');
}

/** A summary in lines with a margin. */
export function summaryLines(text: string, width: number): string[] {
  const margin = ' '.repeat(indentOf(1));
  return wrapText(text, Math.min(width, WIDEST_TEXT) - margin.length).map((line) => `${margin}${line}`.trimEnd());
}

export function noteText({ code, message }: Status): string {
  return `note: ${oneLine(message)} (${oneLine(code)})`;
}

function strong({ color }: Pick<Io, 'color'>, text: string): string {
  return color ? `\u001b[1m${text}\u001b[22m` : text;
}
