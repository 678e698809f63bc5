import { contentTypeOfName, isPlainText } from '../../shared/content-types.ts';
import { usageError } from '../failure.ts';
import { inputBytes } from '../input/input-bytes.ts';
import { collect, readRegularFile, type SizeLimit } from '../input/read-file.ts';
import type { Io } from '../io.ts';
import type { FoundFile } from './find-files.ts';
import { memoryIdOf } from './memory-id.ts';

/** One piece of content, ready to be uploaded. */
export interface Document {
  /** `-` for stdin. */
  path: string;
  memoryId: string;
  contentType: string;
  content: Buffer;
}

export interface DocumentOptions {
  spaceId: string;
  /** Overrides what the file name says. */
  contentType: string | undefined;
  limit: SizeLimit;
  signal: AbortSignal;
}

/** Reads a file; undefined when nothing tells its type and its bytes are no text. */
export async function readDocument(
  { file, path }: Pick<FoundFile, 'file' | 'path'>,
  { spaceId, contentType, ...reading }: DocumentOptions,
): Promise<Document | undefined> {
  const content = await readRegularFile(file, { ...reading, name: 'it' });
  const type = contentType ?? contentTypeOfName(path) ?? (isPlainText(content) ? 'text/plain' : undefined);
  if (type === undefined) return undefined;
  return { path, memoryId: memoryIdOf(spaceId, path, content), contentType: type, content };
}

/** Reads stdin as one document. */
export async function readStdin(
  io: Pick<Io, 'stdin' | 'cwd'>,
  { spaceId, contentType, ...reading }: DocumentOptions,
): Promise<Document> {
  const content = await collect(inputBytes(io, '-', reading.signal), { ...reading, name: 'stdin' });
  const type = contentType ?? (isPlainText(content) ? 'text/plain' : undefined);
  if (type === undefined) throw usageError('stdin is not text: say what it is with --content-type');
  return { path: '-', memoryId: memoryIdOf(spaceId, '-', content), contentType: type, content };
}
