import type { Block, Section } from './page.ts';

/**
 * The sections of a document in the part of Markdown that the documents of this project keep to: one title, headings of
 * the second level, paragraphs, fenced code and tables. A table becomes terms: its first column names, the others explain.
 */
export function readMarkdown(text: string): Section[] {
  const [introduction = '', ...parts] = text.replace(/^# .*\n/, '').split(/^## /m);
  const sections = parts.map((part) => {
    const end = part.indexOf('\n');
    return { title: plain(part.slice(0, end)), blocks: blocksOf(part.slice(end)) };
  });
  return [{ title: '', blocks: blocksOf(introduction) }, ...sections];
}

function blocksOf(text: string): Block[] {
  return text
    .split(/\n{2,}/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map(blockOf);
}

function blockOf(part: string): Block {
  if (part.startsWith('```')) return { kind: 'code', lines: part.split('\n').slice(1, -1) };
  if (part.startsWith('|')) return { kind: 'terms', rows: part.split('\n').slice(2).map(rowOf) };
  return { kind: 'text', text: plain(part.replaceAll('\n', ' ')) };
}

function rowOf(line: string): { term: string; text: string } {
  const [term = '', ...texts] = line
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => plain(cell.trim()));
  return { term, text: texts.filter((cell) => cell !== '').join('; ') };
}

/** Without emphasis, link targets and the escapes that only tables need; code marks stay. */
function plain(text: string): string {
  return text
    .replaceAll('**', '')
    .replace(/\[([^\]`]+)\]\([^)`]+\)/g, '$1')
    .replaceAll('\\|', '|');
}
