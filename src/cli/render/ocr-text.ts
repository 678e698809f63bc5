import type { OcrDocumentResponse, OcrPageResult } from '../../shared/gen/service/v1/ocr_pb.ts';
import type { Io } from '../kit/output/io.ts';
import { oneLine, severalLines } from '../kit/text/printable.ts';

/** The pages as Markdown on stdout, with an empty line between them; what became of the others on stderr. */
export async function writeOcrText(
  { stdout, stderr, stdoutIsTerminal }: Pick<Io, 'stdout' | 'stderr' | 'stdoutIsTerminal'>,
  { pages }: OcrDocumentResponse,
): Promise<void> {
  if (pages.length === 0) return stderr.write('The document has no pages.\n');
  let isFirst = true;
  for (const page of pages) {
    const markdown = markdownOf(page);
    if (markdown === '') {
      await stderr.write(`note: ${remarkOn(page)}\n`);
      continue;
    }
    // A file gets what was recognised; a terminal must not take orders from it.
    const shown = stdoutIsTerminal ? severalLines(markdown) : markdown;
    await stdout.write(`${isFirst ? '' : '\n'}${shown}\n`);
    isFirst = false;
  }
}

function markdownOf({ result }: OcrPageResult): string {
  return result.case === 'page' ? (result.value.markdown ?? '').trimEnd() : '';
}

/** Pages are counted from 0, as the flags that choose them do. */
function remarkOn({ pageIndex, result }: OcrPageResult): string {
  if (result.case === 'page') return `page ${pageIndex} is empty`;
  return `page ${pageIndex} failed: ${oneLine(result.value?.message ?? '') || 'no reason was given'}`;
}
