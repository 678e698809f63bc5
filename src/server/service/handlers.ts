import type {
  DescMethodBiDiStreaming,
  DescMethodServerStreaming,
  DescMethodUnary,
  MessageShape,
} from '@bufbuild/protobuf';
import type { Operations } from '../../shared/operations/table.ts';
import type { CallContext, ContentSource } from '../context.ts';

/** Operations that answer with a stored document; each wire frames its bytes in its own way. */
export type ContentOperation = 'getMemoryContent' | 'getMemoryText' | 'getMemoryPageImageContent';

type HandlerOf<M> =
  M extends DescMethodUnary<infer I, infer O>
    ? (request: MessageShape<I>, context: CallContext) => Promise<MessageShape<O>>
    : M extends DescMethodServerStreaming<infer I, infer O>
      ? (request: MessageShape<I>, context: CallContext) => AsyncIterable<MessageShape<O>>
      : M extends DescMethodBiDiStreaming<infer I, infer O>
        ? (requests: AsyncIterable<MessageShape<I>>, context: CallContext) => AsyncIterable<MessageShape<O>>
        : never;

type ContentHandlerOf<M> =
  M extends DescMethodServerStreaming<infer I, infer _O>
    ? (request: MessageShape<I>, context: CallContext) => Promise<ContentSource>
    : never;

/**
 * What the server can do, by operation. Handlers are deaf to the wire: they take a decoded, validated message and a
 * context, and throw ServiceError. An operation without a handler answers UNIMPLEMENTED.
 */
export type Handlers = {
  [K in keyof Operations]: K extends ContentOperation
    ? ContentHandlerOf<Operations[K]['rpc']>
    : HandlerOf<Operations[K]['rpc']>;
};
