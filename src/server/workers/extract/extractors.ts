import type { ContentType } from './content-type.ts';
import type { OutputText } from './output-text.ts';

/** Reads decoded text block by block and writes what people would read. */
export type Extractor = (blocks: Iterable<string>, output: OutputText, type: ContentType) => void;

const APPLICATION_TEXT = new Set([
  'xml',
  'javascript',
  'typescript',
  'sql',
  'yaml',
  'x-yaml',
  'toml',
  'x-sh',
  'x-httpd-php',
  'graphql',
  'x-ndjson',
]);

export function extractorFor({ essence }: ContentType): Extractor | undefined {
  return isPlainText(essence) ? copyText : undefined;
}

function isPlainText(essence: string): boolean {
  const [type, subtype = ''] = essence.split('/', 2);
  if (type === 'text') return subtype !== 'rtf';
  if (subtype.includes('json') || subtype.endsWith('+xml')) return true;
  return type === 'application' && APPLICATION_TEXT.has(subtype);
}

function copyText(blocks: Iterable<string>, output: OutputText): void {
  for (const block of blocks) output.append(block);
}
