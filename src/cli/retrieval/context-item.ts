import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { contentTypeOfName, isPlainText } from '../../shared/content-types.ts';
import type { ContextItemSchema } from '../../shared/gen/service/v1/retrieve_pb.ts';
import { inputError } from '../failure.ts';

/** A turn of a conversation: the text itself, or with `@` the file that holds it. Files that are no text go as bytes. */
export async function contextItem(entry: string, cwd: string): Promise<MessageInitShape<typeof ContextItemSchema>> {
  if (!entry.startsWith('@')) return { item: { case: 'text', value: entry } };
  const data = await readInput(entry.slice(1), cwd);
  if (isPlainText(data)) return { item: { case: 'text', value: data.toString('utf8') } };
  const contentType = contentTypeOfName(entry) ?? 'application/octet-stream';
  return { item: { case: 'binary', value: { contentType, data } } };
}

/** The text itself, or with `@` the text of that file. */
export async function readText(value: string, cwd: string): Promise<string> {
  return value.startsWith('@') ? (await readInput(value.slice(1), cwd)).toString('utf8') : value;
}

async function readInput(file: string, cwd: string): Promise<Buffer> {
  try {
    return await readFile(resolve(cwd, file));
  } catch (error) {
    throw inputError(`Cannot read ${file}`, error);
  }
}
