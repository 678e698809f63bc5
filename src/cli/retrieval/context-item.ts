import type { MessageInitShape } from '@bufbuild/protobuf';
import { contentTypeOfName, isPlainText } from '../../shared/content-types.ts';
import type { ContextItemSchema } from '../../shared/gen/service/v1/retrieve_pb.ts';
import { type InputIo, readInput } from '../kit/input/read-input.ts';

/** A turn of a conversation: the text itself, or with `@` the file that holds it (`@-` for stdin). Files that are no text go as bytes. */
export async function contextItem(io: InputIo, entry: string): Promise<MessageInitShape<typeof ContextItemSchema>> {
  if (!entry.startsWith('@')) return { item: { case: 'text', value: entry } };
  const data = await readInput(io, entry.slice(1));
  if (isPlainText(data)) return { item: { case: 'text', value: data.toString('utf8') } };
  const contentType = contentTypeOfName(entry) ?? 'application/octet-stream';
  return { item: { case: 'binary', value: { contentType, data } } };
}
