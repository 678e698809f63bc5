import type { DescMessage, MessageShape } from '@bufbuild/protobuf';
import { isMessage } from '@bufbuild/protobuf';
import {
  ChunkSchema,
  type RetrievedItem,
  RetrievedItemSchema,
  RetrieveMemoryEventSchema,
} from '../gen/service/v1/memory_pb.ts';
import { encodeJson } from './encode.ts';

/**
 * As {@link encodeJson}, but a retrieved chunk stands one level deeper, beside the members that tell its place in the
 * result set. Other events, and retrieved memories, are the same in both forms.
 */
export function encodeSdkEvent<Desc extends DescMessage>(desc: Desc, message: MessageShape<Desc>): string {
  if (!isMessage(message, RetrieveMemoryEventSchema)) return encodeJson(desc, message);
  const { event } = message;
  return event.case === 'retrievedItem' && event.value.item.case === 'chunk'
    ? `{"retrievedItem":{"chunk":${nested(event.value, encodeJson(ChunkSchema, event.value.item.value))}}}`
    : encodeJson(desc, message);
}

/** The members of the item beside its chunk, and the chunk as one of them. */
function nested(item: RetrievedItem, chunk: string): string {
  const others = encodeJson(RetrievedItemSchema, { ...item, item: { case: undefined } });
  return `{"chunk":${chunk},${others.slice(1)}`;
}
