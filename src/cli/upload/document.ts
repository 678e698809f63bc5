import { memoryIdOf } from '../kit/bulk/memory-id.ts';
import { usageError } from '../kit/errors.ts';
import { collect, readRegularFile, type SizeLimit } from '../kit/input/read-file.ts';
import { emptyStdin, inputBytes } from '../kit/input/read-input.ts';
import type { Io } from '../kit/output/io.ts';
import { typedContent } from './as-text.ts';
import type { Document, Mirror } from './events.ts';
import type { FoundFile } from './find-files.ts';

export interface DocumentOptions {
  spaceId: string;
  /** Overrides what the file name says. */
  contentType: string | undefined;
  /** The folder that a sync mirrors. */
  mirror?: Mirror;
  limit: SizeLimit;
  signal: AbortSignal;
}

/** Reads a file; undefined when nothing tells its type and its bytes are no text. */
export async function readDocument(
  { file, path }: Pick<FoundFile, 'file' | 'path'>,
  { spaceId, contentType, mirror, ...reading }: DocumentOptions,
): Promise<Document | undefined> {
  const read = await readRegularFile(file, { ...reading, name: 'it' });
  const typed = typedContent(read, { name: path, contentType });
  return typed && { ...typed, path, memoryId: memoryIdOf({ spaceId, path, source: mirror?.source }, typed.content) };
}

/** Reads stdin as one document. */
export async function readStdin(
  io: Pick<Io, 'stdin' | 'cwd'>,
  { spaceId, contentType, ...reading }: DocumentOptions,
): Promise<Document> {
  const read = await collect(inputBytes(io, '-', reading.signal), { ...reading, name: 'stdin' });
  if (read.length === 0) throw emptyStdin();
  const typed = typedContent(read, { name: '', contentType });
  if (typed === undefined) throw usageError('stdin is not text: give its type with --content-type');
  return { ...typed, path: '-', memoryId: memoryIdOf({ spaceId, path: '-' }, typed.content) };
}
