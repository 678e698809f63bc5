import { readFile } from 'node:fs/promises';
import { contentTypeOfName, isPlainText } from '../../shared/content-types.ts';
import { inputError, usageError } from '../failure.ts';
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
}

/** Reads a file; undefined when nothing tells its type and its bytes are no text. */
export async function readDocument(
  { file, path }: Pick<FoundFile, 'file' | 'path'>,
  { spaceId, contentType }: DocumentOptions,
): Promise<Document | undefined> {
  let content: Buffer;
  try {
    content = await readFile(file);
  } catch (error) {
    throw inputError(`Cannot read ${path}`, error);
  }
  const type = contentType ?? contentTypeOfName(path) ?? (isPlainText(content) ? 'text/plain' : undefined);
  if (type === undefined) return undefined;
  return { path, memoryId: memoryIdOf(spaceId, path, content), contentType: type, content };
}

/** Reads stdin as one document. */
export async function readStdin(
  { readStdin: read }: Pick<Io, 'readStdin'>,
  { spaceId, contentType }: DocumentOptions,
): Promise<Document> {
  const content = await read();
  const type = contentType ?? (isPlainText(content) ? 'text/plain' : undefined);
  if (type === undefined) throw usageError('stdin is not text: say what it is with --content-type');
  return { path: '-', memoryId: memoryIdOf(spaceId, '-', content), contentType: type, content };
}
