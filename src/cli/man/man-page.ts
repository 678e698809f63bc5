import type { Block, Section, Term } from '../help/page.ts';
import { fill, NO_BREAK } from '../kit/text/printable.ts';

/** The date that the man pages of a version carry. No clock is asked: the same sources make the same pages. */
export const RELEASED = { version: '0.1.0', date: '2026-11-21' } as const;

const LINE = 76;
const MAN_NO_BREAK = '\\~';

export interface ManPage {
  /** `svc-spaces`. */
  readonly name: string;
  /** 1 for commands, 7 for what they have in common. */
  readonly section: 1 | 7;
  /** One line without a full stop. */
  readonly summary: string;
  readonly usage: readonly string[];
  readonly sections: readonly ManSection[];
  /** Other pages, as `svc(1)`. */
  readonly seeAlso: readonly string[];
}

/** A section of a man page; parts are its subsections. */
export interface ManSection extends Section {
  readonly parts?: readonly Section[];
}

/** The source of a page in the man macros, as man and mandoc read it. */
export function manSource({ name, section, summary, usage, sections, seeAlso }: ManPage): string {
  const lines = [
    `.TH ${name.toUpperCase()} ${section} ${RELEASED.date} "svc ${RELEASED.version}" "svc Manual"`,
    '.SH NAME',
    `${escaped(name)} \\- ${escaped(summary)}`,
    ...(usage.length === 0 ? [] : ['.SH SYNOPSIS', ...usage.flatMap(usageLines)]),
    ...sections.flatMap(({ title, blocks, parts = [] }) => [
      `.SH ${escaped(title.toUpperCase())}`,
      ...blocksSource(blocks),
      ...parts.flatMap((part) => [`.SS ${escaped(part.title)}`, ...blocksSource(part.blocks)]),
    ]),
    '.SH SEE ALSO',
    ...seeAlso.map((other, at) => `${reference(other)}${at < seeAlso.length - 1 ? ' ,' : ''}`),
  ];
  return `${lines.join('\n')}\n`;
}

function reference(other: string): string {
  const [, name = '', section = ''] = /^(.*)\((\d)\)$/.exec(other) ?? [];
  return `.BR ${escaped(name)} (${section})`;
}

/** Bold up to the first argument, as manuals show a call. */
function usageLines(usage: string, at: number): string[] {
  const [, command = usage, rest = ''] = /^([^<[]*?)( [<[].*)?$/.exec(usage) ?? [];
  return [...(at === 0 ? [] : ['.br']), `\\fB${escaped(command)}\\fR${escaped(rest)}`];
}

function blocksSource(blocks: readonly Block[]): string[] {
  return blocks.flatMap((block, at) => {
    return block.kind === 'terms' || at === 0 ? blockSource(block) : ['.PP', ...blockSource(block)];
  });
}

function blockSource(block: Block): string[] {
  switch (block.kind) {
    case 'text':
      return textLines(block.text);
    case 'code':
      return ['.nf', ...block.lines.map((line) => guarded(`    ${escaped(line)}`)), '.fi'];
    case 'terms':
      return block.rows.flatMap(termLines);
  }
}

function termLines({ term, text }: Term): string[] {
  return ['.TP', `\\fB${escaped(term.trim().replaceAll('`', ''))}\\fR`, ...(text === '' ? ['\\&'] : textLines(text))];
}

/** Wrapped in the source only: the formatter fills the lines. Code is bold and stays in one piece. */
function textLines(text: string): string[] {
  const parts = text.split('`').map((part, at) => {
    if (at % 2 === 0) return escaped(part);
    const code = escaped(part);
    return `\\fB${code.length < LINE / 2 ? code.replaceAll(' ', MAN_NO_BREAK) : code}\\fR`;
  });
  return fill(parts.join(''), LINE).map(guarded);
}

/** Hyphens of flags must stay hyphens, and backslashes must be shown. */
function escaped(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('~', '\\(ti')
    .replaceAll('^', '\\(ha')
    .replaceAll("'", '\\(aq')
    .replaceAll('`', '\\(ga')
    .replaceAll(NO_BREAK, MAN_NO_BREAK)
    .replace(
      /[\u0080-\u{10ffff}]/gu,
      (letter) => `\\[u${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`,
    );
}

/** A line that begins with a dot or a quote would be a request. */
function guarded(line: string): string {
  return /^[.']/.test(line) ? `\\&${line}` : line;
}
