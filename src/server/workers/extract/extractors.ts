import { isTextType } from '../../../shared/content-types.ts';
import type { ContentType } from './content-type.ts';
import { extractCsv } from './csv.ts';
import { extractHtml } from './html.ts';
import type { OutputText } from './output-text.ts';

/** Reads decoded text block by block and writes what people would read. */
export type Extractor = (blocks: Iterable<string>, output: OutputText, type: ContentType) => void;

/** Types with a reader of their own; everything else that is text is kept as it is, Markdown and code included. */
const SPECIAL: Readonly<Record<string, Extractor>> = {
  'text/html': extractHtml,
  'application/xhtml+xml': extractHtml,
  'text/csv': extractCsv,
  'application/csv': extractCsv,
  'text/tab-separated-values': extractCsv,
};

/** How to read a type, undefined when it is not supported. */
export function extractorFor({ essence }: ContentType): Extractor | undefined {
  if (Object.hasOwn(SPECIAL, essence)) return SPECIAL[essence];
  return isTextType(essence) ? copyText : undefined;
}

/** Whether what it writes has the lines of what it reads. */
export function keepsLines(extractor: Extractor): boolean {
  return extractor === copyText;
}

function copyText(blocks: Iterable<string>, output: OutputText): void {
  for (const block of blocks) output.append(block);
}
