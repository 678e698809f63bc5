import { EXIT } from '../../shared/exit-codes.ts';
import {
  type OcrDocumentResponse,
  OcrDocumentResponseSchema,
  OcrInputFormatSchema,
  type OcrPageResult,
  OcrService,
} from '../../shared/gen/service/v1/ocr_pb.ts';
import { required } from '../kit/command.ts';
import { loneCommand } from '../kit/define-command.ts';
import { CommandError, hasCode, usageError } from '../kit/errors.ts';
import { enumChoice } from '../kit/flags/enum.ts';
import { type FlagValues, given } from '../kit/flags/flag.ts';
import { choice, integer, toggle } from '../kit/flags/kinds.ts';
import { readInput } from '../kit/input/read-input.ts';
import type { Io } from '../kit/output/io.ts';
import { writeRecord } from '../kit/output/records.ts';
import { oneLine, severalLines } from '../kit/text/printable.ts';

/** Pages are recognized one by one, and there may be many. */
const TIMEOUT_MS = 3_600_000;

const FLAGS = {
  format: choice('--format <form>', 'The text, or everything with its place on the page (default markdown)', [
    'json',
    'markdown',
  ]),
  inputFormat: enumChoice('--input-format <type>', 'What the file is (default AUTO)', OcrInputFormatSchema),
  startPage: integer('--start-page <n>', 'First page, counted from 0', { min: 0 }),
  endPage: integer('--end-page <n>', 'Last page, counted from 0', { min: 0 }),
  raw: toggle('--raw', 'Include the raw answer of the OCR service; implies --format json'),
};

export const ocr = loneCommand({
  notes:
    'Takes PDF, TIFF, PNG, JPEG and BMP. Needs a server with an OCR service.\n\nPages that fail are reported on stderr, the others are written, and the exit code is 1.',
  args: { file: { ...required('file', 'File to read, - for stdin'), completes: 'files' } },
  flags: FLAGS,
  examples: [
    'ocr scan.pdf > scan.md',
    'ocr scan.pdf --format json --start-page 2 --end-page 4',
    "ocr - --input-format PNG -o ndjson < receipt.png | jq -r '.pages[].page.layout.cells[].text'",
  ],
  async run({ io, client }, { args, flags }) {
    const format = formatOf(flags, io);
    const { inputFormat, startPage, endPage, raw } = flags;
    const request = {
      content: await readInput(io, args.file),
      includeMarkdown: format === 'markdown',
      includeRawJson: raw,
      ...given({ format: inputFormat, startPage, endPage }),
    };
    const server = await client();
    const response = await server
      .call(OcrService.method.ocrDocument, request, { timeoutMs: TIMEOUT_MS })
      .catch((error: unknown) => {
        throw explained(error);
      });
    await write(io, format, response);
    return response.pages.some(({ result }) => result.case === 'status') ? EXIT.failed : undefined;
  },
});

type Format = 'json' | 'markdown';

function formatOf({ format, raw }: FlagValues<typeof FLAGS>, { isData }: Pick<Io, 'isData'>): Format {
  if (raw && format === 'markdown' && !isData) throw usageError('--raw needs --format json');
  return format ?? (raw || isData ? 'json' : 'markdown');
}

/** A server without OCR is one that was built or set up so: what to do is not to call again. */
function explained(error: unknown): unknown {
  if (!hasCode(error, 'UNIMPLEMENTED')) return error;
  const { code, message, details } = error;
  const next = 'This server has no OCR service. What it has: svc system info';
  return new CommandError(message, { code, exit: EXIT.failed, details, next, cause: error });
}

async function write(io: Io, format: Format, response: OcrDocumentResponse): Promise<void> {
  if (!io.isData && format === 'markdown') return writeOcrText(io, response);
  const records = io.isData ? io.records : 'json';
  await writeRecord({ ...io, records }, { desc: OcrDocumentResponseSchema, columns: [] }, response);
}

/** The pages as Markdown on stdout, with an empty line between them; what became of the others on stderr. */
async function writeOcrText(
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
    // A file gets what was recognized; a terminal must not take orders from it.
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
