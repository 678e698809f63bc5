import type { ContentChunk } from '../../shared/gen/service/v1/common_pb.ts';
import { MemoryService } from '../../shared/gen/service/v1/memory_pb.ts';
import { MEMORY } from '../kit/command.ts';
import { command } from '../kit/define-command.ts';
import { usageError } from '../kit/errors.ts';
import { toggle } from '../kit/flags/kinds.ts';
import { resolveMemory } from '../kit/naming/memories.ts';
import type { Io } from '../kit/output/io.ts';
import { severalLines } from '../kit/text/printable.ts';

const { getMemoryContent, getMemoryText } = MemoryService.method;

export const content = command({
  name: 'content',
  isPaged: true,
  summary: 'Write the content of a memory, byte for byte',
  notes: 'A terminal gets text only, without control characters. For everything else write it to a file.',
  args: { id: MEMORY },
  flags: { force: toggle('-f, --force', 'Send every byte to a terminal too') },
  examples: [
    'memories content 01980000-0000-7000-8000-0000000000f1',
    'memories content 01980000-0000-7000-8000-0000000000f1 > report.pdf',
    'memories content 01980000-0000-7000-8000-0000000000f1 | sha256sum',
  ],
  async run({ io, client }, { args, flags }) {
    const server = await client();
    const chunks = server.stream(getMemoryContent, { memoryId: await resolveMemory(server, args.id) });
    const next = `Write it to a file: svc memories content ${args.id} > FILE; or send it as it is with -f`;
    await writeContent(io, chunks, { raw: flags.force, next });
    return undefined;
  },
});

export const extracted = command({
  name: 'text',
  isPaged: true,
  summary: 'Write the text that was extracted from a memory',
  notes: 'Offsets of chunks point into this text.',
  args: { id: MEMORY },
  flags: {},
  examples: [
    'memories text 01980000-0000-7000-8000-0000000000f1',
    'memories text 01980000-0000-7000-8000-0000000000f1 | less',
    'memories text 01980000-0000-7000-8000-0000000000f1 > report.txt',
  ],
  async run({ io, client }, { args }) {
    const server = await client();
    const chunks = server.stream(getMemoryText, { memoryId: await resolveMemory(server, args.id) });
    const next = `Write it to a file: svc memories text ${args.id} > FILE`;
    await writeContent(io, chunks, { raw: false, next });
    return undefined;
  },
});

/** The text of bytes; undefined when they are no text that a terminal can show. */
export function displayableText(bytes: Uint8Array): string | undefined {
  const reader = new TextReader();
  const text = reader.read(bytes, { isLast: true });
  return text === undefined ? undefined : severalLines(text);
}

interface ContentOptions {
  /** Sends every byte to a terminal too. */
  raw: boolean;
  /** What to do about content that a terminal cannot show. */
  next: string;
}

/**
 * Writes content byte for byte; on a terminal as text that brings no control characters along and ends its line.
 *
 * @throws CommandError before anything is written when a terminal would get something else than text.
 */
async function writeContent(
  { stdout, stdoutIsTerminal }: Pick<Io, 'stdout' | 'stdoutIsTerminal'>,
  chunks: AsyncIterable<ContentChunk>,
  { raw, next }: ContentOptions,
): Promise<void> {
  if (!stdoutIsTerminal || raw) {
    for await (const { data } of chunks) if (data.length > 0) await stdout.write(data);
    return;
  }
  const reader = new TextReader();
  let last = '\n';
  const show = async (text: string | undefined): Promise<void> => {
    if (text === undefined) throw usageError('This content is not text: a terminal cannot show it', { next });
    const shown = severalLines(text);
    if (shown === '') return;
    last = shown.slice(-1);
    await stdout.write(shown);
  };
  for await (const { data } of chunks) await show(reader.read(data));
  await show(reader.read(new Uint8Array(), { isLast: true }));
  if (last !== '\n') await stdout.write('\n');
}

/** Reads UTF-8 piece by piece. Bytes that are none, and NUL, say that it is no text. */
class TextReader {
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  /** A carriage return at the end of a piece, whose line feed may be in the next. */
  #held = '';

  read(bytes: Uint8Array, { isLast = false } = {}): string | undefined {
    const text = this.#held + (this.#decode(bytes, isLast) ?? '\0');
    if (text.includes('\0')) return undefined;
    this.#held = !isLast && text.endsWith('\r') ? '\r' : '';
    return this.#held === '' ? text : text.slice(0, -1);
  }

  #decode(bytes: Uint8Array, isLast: boolean): string | undefined {
    try {
      return this.#decoder.decode(bytes, { stream: !isLast });
    } catch {
      return undefined;
    }
  }
}
