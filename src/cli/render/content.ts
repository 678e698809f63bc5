import type { ContentChunk } from '../../shared/gen/service/v1/common_pb.ts';
import { usageError } from '../kit/errors.ts';
import type { Io } from '../kit/output/io.ts';
import { severalLines } from '../kit/text/printable.ts';

/** The text of bytes; undefined when they are no text that a terminal can show. */
export function textOf(bytes: Uint8Array): string | undefined {
  const reader = new TextReader();
  const text = reader.read(bytes, { isLast: true });
  return text === undefined ? undefined : severalLines(text);
}

export interface ContentOptions {
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
export async function writeContent(
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
