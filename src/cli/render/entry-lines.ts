import type { Client } from '../kit/client/client.ts';
import { wrapText } from '../kit/text/printable.ts';
import type { ListedEntry } from '../retrieval/browser.ts';
import { memoryText } from '../retrieval/memory-text.ts';
import { explainTable } from './explain-table.ts';
import { passageLines } from './passage-lines.ts';
import { type TextLine, titleOf } from './retrieve-card.ts';
import { noteText } from './retrieve-lines.ts';

type LinesOf = (width: number) => readonly TextLine[];

/** All there is to read about an entry, in lines for any width. Only a result asks the server, for its memory's text. */
export async function entryLines(entry: ListedEntry, client: Client, signal: AbortSignal): Promise<LinesOf> {
  if (entry.kind !== 'result') return once((width) => plain(ownLines(entry, width)));
  const passage = await memoryText(client, entry, signal);
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
