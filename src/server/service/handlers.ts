import type {
  DescMethodBiDiStreaming,
  DescMethodServerStreaming,
  DescMethodUnary,
  MessageShape,
} from '@bufbuild/protobuf';
import type { Operations } from '../../shared/operations/table.ts';
import type { CallContext, ContentSource } from '../context.ts';

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
 * The handlers, by operation. They are independent of the transport: they take a decoded, validated message and a
 * context, and throw ServiceError. An operation that this build lacks has none, and answers UNIMPLEMENTED.
 */
export type Handlers = {
  [K in keyof Operations as Operations[K] extends { isLacking: true }
    ? never
    : K]: Operations[K]['answers'] extends 'content'
    ? ContentHandlerOf<Operations[K]['rpc']>
    : HandlerOf<Operations[K]['rpc']>;
};
