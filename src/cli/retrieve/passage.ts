import { MemoryService } from '../../shared/gen/service/v1/memory_pb.ts';
import type { Client } from '../kit/client/client.ts';
import { wrapText } from '../kit/text/printable.ts';
import type { ListedEntry } from './browser.ts';
import { type TextLine, titleOf } from './card.ts';
import { memoryIdOf, type ResultEntry } from './entries.ts';
import { explainTable, noteText } from './lines.ts';

type LinesOf = (width: number) => readonly TextLine[];

/** All there is to read about an entry, in lines for any width. Only a result asks the server, for its memory's text. */
export async function entryLines(entry: ListedEntry, client: Client, signal: AbortSignal): Promise<LinesOf> {
  if (entry.kind !== 'result') return once((width) => plain(ownLines(entry, width)));
  const passage = await memoryPassage(client, entry, signal);
  return once((width) => {
    const lines = passageLines(passage, width);
    const rest = 'There is more text than can be shown here: svc memories text ID';
    return passage.isPart ? [...lines, ...plain(['', ...wrapText(rest, width)])] : lines;
  });
}

function ownLines(entry: Exclude<ListedEntry, { kind: 'result' }>, width: number): string[] {
  switch (entry.kind) {
    case 'summary':
      return wrapText(entry.text, width);
    case 'explain':
      return explainTable(entry.details, { width, color: false }).trimEnd().split('\n');
    case 'note': {
      const details = Object.entries(entry.status.details).map(([name, value]) => `${name}: ${value}`);
      return [noteText(entry.status), '', ...details].flatMap((line) => wrapText(line, width));
    }
  }
}

/** What typed text is looked for in. */
export function searchText(entry: ListedEntry): string {
  switch (entry.kind) {
    case 'summary':
      return entry.text;
    case 'explain':
      return 'explain';
    case 'note':
      return noteText(entry.status);
    case 'result': {
      const { item } = entry.item;
      return `${titleOf(entry)}\n${item.case === 'chunk' ? item.value.chunkText : ''}`;
    }
  }
}

function plain(lines: readonly string[]): TextLine[] {
  return lines.map((text) => ({ text, isFound: false }));
}

/** Wrapping a long text takes longer than a key press may: it is done when the width changes. */
function once(make: LinesOf): LinesOf {
  let made: { width: number; lines: readonly TextLine[] } | undefined;
  return (width) => {
    if (made?.width !== width) made = { width, lines: make(width) };
    return made.lines;
  };
}

/** The lines of a passage; what was found begins and ends a line of its own. */
export function passageLines({ before, found, after }: Passage, width: number): TextLine[] {
  const [, lead = '', core = '', trail = ''] = /^(\s*\n)?(.*?)(\s*)$/s.exec(found) ?? [];
  const linesOf = (text: string, isFound: boolean): TextLine[] =>
    text === '' ? [] : wrapText(text, width).map((line) => ({ text: line, isFound }));
  // The line feed at a seam ends the line above it; it makes no empty line.
  return [
    ...linesOf(`${before}${lead}`.replace(/\r?\n$/, ''), false),
    ...linesOf(core, true),
    ...linesOf(`${trail}${after}`.trimEnd().replace(/^[ \t]*\r?\n/, ''), false),
  ];
}

/** The text of a memory around what was found in it. */
interface Passage {
  before: string;
  found: string;
  after: string;
  /** There is more text than this. */
  isPart: boolean;
}

/** Code points in front of and behind the chunk: enough to scroll through, and a bound on the memory that a book takes. */
const AROUND = 100_000;

/** Fetches the extracted text of a result's memory. Leaves the call as soon as enough of it has come. */
async function memoryPassage(client: Client, entry: ResultEntry, signal: AbortSignal): Promise<Passage> {
  const { item } = entry.item;
  const memoryId = memoryIdOf(entry) ?? '';
  const chunk = item.case === 'chunk' ? item.value : { startOffset: 0, endOffset: 0 };
  const most = chunk.endOffset + AROUND;
  const decoder = new TextDecoder();
  const points: string[] = [];
  for await (const { data } of client.stream(MemoryService.method.getMemoryText, { memoryId }, { signal })) {
    for (const point of decoder.decode(data, { stream: true })) points.push(point);
    if (points.length > most) break;
  }
  const start = Math.max(0, chunk.startOffset - AROUND);
  const slice = (from: number, to: number): string => points.slice(from, to).join('');
  return {
    before: slice(start, chunk.startOffset),
    found: slice(chunk.startOffset, chunk.endOffset),
    after: slice(chunk.endOffset, most),
    isPart: start > 0 || points.length > most,
  };
}
