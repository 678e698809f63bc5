import type { DescMessage, MessageShape } from '@bufbuild/protobuf';
import { isMessage } from '@bufbuild/protobuf';
import {
  ChunkSchema,
  type RetrievedItem,
  RetrievedItemSchema,
  RetrieveMemoryEventSchema,
} from '../gen/service/v1/memory_pb.ts';
import { encodeJson } from './encode.ts';

/** The stage whose scores the client libraries expect as the database returns them: the negative inner product. */
const VECTOR_STAGE = 'vector_search';

/**
 * As {@link encodeJson}, for the events of one stream in their order: a retrieved chunk stands one level deeper, beside the
 * members that tell its place in the result set, and a score of the vector stage is negative. Other events are the same in
 * both forms.
 */
export function sdkEventEncoder(): typeof encodeJson {
  let isVectorStage = false;
  return <Desc extends DescMessage>(desc: Desc, message: MessageShape<Desc>): string => {
    if (!isMessage(message, RetrieveMemoryEventSchema)) return encodeJson(desc, message);
    const { event } = message;
    if (event.case === 'resultSetBoundary') isVectorStage = event.value.stageName === VECTOR_STAGE;
    return event.case === 'retrievedItem'
      ? `{"retrievedItem":${itemJson(isVectorStage ? negated(event.value) : event.value)}}`
      : encodeJson(desc, message);
  };
}

function negated(item: RetrievedItem): RetrievedItem {
  // Not `-score`, which makes a negative zero of zero.
  return { ...item, relevanceScore: 0 - item.relevanceScore };
}

function itemJson(item: RetrievedItem): string {
  if (item.item.case !== 'chunk') return encodeJson(RetrievedItemSchema, item);
  const others = encodeJson(RetrievedItemSchema, { ...item, item: { case: undefined } });
  return `{"chunk":{"chunk":${encodeJson(ChunkSchema, item.item.value)},${others.slice(1)}}`;
}
