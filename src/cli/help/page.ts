import { displayWidth, fill, NO_BREAK, padEnd } from '../kit/text/printable.ts';

/** One line of a list: a name as it is typed, and what it means. */
export interface Term {
  readonly term: string;
  readonly text: string;
}

/** Texts may hold `code` between backticks. */
export type Block =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'terms'; readonly rows: readonly Term[] }
  /** Lines to copy: never wrapped. */
  | { readonly kind: 'code'; readonly lines: readonly string[] };

export interface Section {
  /** "" for what stands below the summary without a heading. */
  readonly title: string;
  readonly blocks: readonly Block[];
}

/** What help says about something. The terminal, the man pages and the Markdown reference are made from the same page. */
export interface HelpPage {
  /** As it is typed: `svc spaces create`; of a topic `svc help filters`. */
  readonly name: string;
  /** One line without a full stop. */
  readonly summary: string;
  /** Forms of the call; none for a topic. */
  readonly usage: readonly string[];
  readonly sections: readonly Section[];
}

/** Lines longer than this are hard to read, however wide the terminal. */
const WIDEST = 100;
const NARROWEST = 40;
const INDENT = '  ';
const GAP = 2;
/** Of the columns. On 60 of them the longest name of a variable still fits beside it. */
const WIDEST_TERM = 0.33;

export interface PageStyle {
  /** Columns to stay within, but for lines that are to be copied; Infinity where nothing has to fit. */
  width: number;
  /** Headings may be bold. */
  color: boolean;
}

/** A page for the terminal. */
export function pageText(page: HelpPage, { width, color }: PageStyle): string {
  const columns = Math.max(NARROWEST, Math.min(width, WIDEST));
  const title = color ? (text: string) => `\u001b[1m${text}\u001b[22m` : (text: string) => text;
  // The lists of a command are aligned as one; those of a topic each for itself.
  const termWidth =
    page.usage.length > 0
      ? widthOfTerms(
          page.sections.flatMap(({ blocks }) => blocks),
          columns,
        )
      : undefined;
  const parts = [
    fill(`${page.summary}.`, columns),
    ...usageParts(page.usage, title),
    ...page.sections.map((section) => sectionLines(section, { columns, termWidth, title })),
  ];
  return `${parts.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

function usageParts(usage: readonly string[], title: (text: string) => string): string[][] {
  const [first, ...more] = usage;
  if (first === undefined) return [];
  return [[`${title('Usage:')} ${first}`, ...more.map((line) => `       ${line}`)]];
}

interface Layout {
  columns: number;
  /** Undefined where each list has its own. */
  termWidth: number | undefined;
  title: (text: string) => string;
}

function sectionLines({ title: heading, blocks }: Section, layout: Layout): string[] {
  const indent = heading === '' ? '' : INDENT;
  const bodies = blocks.map((block) => blockLines(block, indent, layout));
  const body = bodies.flatMap((lines, index) => (index === 0 ? lines : ['', ...lines]));
  return heading === '' ? body : [layout.title(`${heading}:`), ...body];
}

function blockLines(block: Block, indent: string, { columns, termWidth }: Layout): string[] {
  switch (block.kind) {
    case 'text':
      return wrapMarked(block.text, columns - indent.length).map((line) => `${indent}${line}`);
    case 'code':
      return block.lines.map((line) => `${INDENT}${line}`);
    case 'terms': {
      const width = termWidth ?? widthOfTerms([block], columns);
      return block.rows.flatMap((row) => termLines(row, columns, width));
    }
  }
}

function termLines({ term, text }: Term, columns: number, termWidth: number): string[] {
  const start = `${INDENT}${withoutMarks(term)}`;
  const margin = ' '.repeat(INDENT.length + termWidth + GAP);
  const lines = wrapMarked(text, columns - margin.length);
  const [first, ...more] = lines;
  if (first === undefined) return [start];
  const body = more.map((line) => `${margin}${line}`);
  if (displayWidth(start) + GAP > margin.length) return [start, `${margin}${first}`, ...body];
  return [`${padEnd(start, margin.length)}${first}`, ...body];
}

/** As wide as the longest term, but never so wide that too little is left for the texts: longer terms get a line. */
function widthOfTerms(blocks: readonly Block[], columns: number): number {
  const most = Math.floor(columns * WIDEST_TERM);
  const widths = blocks
    .flatMap((block) => (block.kind === 'terms' ? block.rows : []))
    .map(({ term }) => displayWidth(withoutMarks(term)))
    .filter((width) => width <= most);
  return Math.max(0, ...widths);
}

/** Code that fits on a line is not cut, so that it can be read and copied in one piece. */
function wrapMarked(text: string, width: number): string[] {
  const words = text.replace(/`([^`]*)`/g, (_, code: string) => code.replaceAll(' ', NO_BREAK)).split(/[ \n]+/);
  const fitting = words.map((word) => (displayWidth(word) <= width ? word : word.replaceAll(NO_BREAK, ' ')));
  return fill(fitting.join(' '), width).map((line) => line.replaceAll(NO_BREAK, ' '));
}

function withoutMarks(text: string): string {
  return text.replaceAll('`', '');
}
