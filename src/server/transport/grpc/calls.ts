import type { Message } from '@bufbuild/protobuf';
import { create } from '@bufbuild/protobuf';
import type {
  handleBidiStreamingCall,
  handleServerStreamingCall,
  handleUnaryCall,
  Metadata,
  ServerDuplexStream,
  ServerUnaryCall,
  ServerWritableStream,
  UntypedHandleCall,
} from '@grpc/grpc-js';
import { drained } from '../../../shared/async/abort.ts';
import { invalidFields } from '../../../shared/errors.ts';
import { validateMessage } from '../../../shared/fields/validate.ts';
import { ContentChunkSchema } from '../../../shared/gen/service/v1/common_pb.ts';
import type { Operation } from '../../../shared/operations/operation.ts';
import { OPERATIONS, type OperationKey } from '../../../shared/operations/table.ts';
import type { CallContext } from '../../context.ts';
import { requireUnrestricted } from '../../service/permission.ts';
import type { BidiHandler, Calls, ContentHandler, StreamingHandler, UnaryHandler } from '../calls.ts';
import type { Arrivals } from './arrivals.ts';
import { parseRequest } from './bridge.ts';

/** grpc-js implementations of one service, made from the operations table. */
export function grpcHandlers(calls: Calls, arrivals: Arrivals): Map<Operation, UntypedHandleCall> {
  const handlers = new Map<Operation, UntypedHandleCall>();
  for (const [name, operation] of Object.entries(OPERATIONS)) {
    const key = name as OperationKey;
    handlers.set(operation, grpcHandler(new GrpcOperation(operation, key, calls, arrivals)));
  }
  return handlers;
}

function grpcHandler(operation: GrpcOperation): UntypedHandleCall {
  switch (operation.kind) {
    case 'unary':
      return ((call, callback) => {
        operation.unary(call).then(
          ({ message, trailer }) => callback(null, message, trailer),
          (error: Error) => callback(error),
        );
      }) satisfies handleUnaryCall<Uint8Array, Message>;
    case 'server_streaming':
      return ((call) =>
        void operation.stream(call, (context) =>
          operation.events(call.request, context),
        )) satisfies handleServerStreamingCall<Uint8Array, Message>;
    default:
      return ((call) =>
        void operation.stream(call, (context) =>
          operation.conversation(call, context),
        )) satisfies handleBidiStreamingCall<Uint8Array, Message>;
  }
}

class GrpcOperation {
  readonly #operation: Operation;
  readonly #key: OperationKey;
  readonly #calls: Calls;
  readonly #arrivals: Arrivals;

  constructor(operation: Operation, key: OperationKey, calls: Calls, arrivals: Arrivals) {
    this.#operation = operation;
    this.#key = key;
    this.#calls = calls;
    this.#arrivals = arrivals;
  }

  get kind() {
    return this.#operation.rpc.methodKind;
  }

  async unary(call: ServerUnaryCall<Uint8Array, Message>): Promise<{ message: Message; trailer: Metadata }> {
    const arrival = this.#arrivals.of(call);
    const message = await arrival.handle(async (context) => {
      return await this.#calls.answered(context, async (now) => {
        const handler = this.#calls.handler(this.#key) as UnaryHandler;
        const request = this.#parse(call.request);
        requireUnrestricted(now);
        return await handler(request, now);
      });
    });
    return { message, trailer: arrival.trailer };
  }

  /** Sends what `open` yields, at the client's pace; a failure ends the call with its status. */
  async stream(
    call: ServerWritableStream<Uint8Array, Message> | ServerDuplexStream<Uint8Array, Message>,
    open: (context: CallContext) => AsyncIterable<Message>,
  ): Promise<void> {
    const arrival = this.#arrivals.of(call);
    try {
      await arrival.handle(async (context, report) => {
        const isEvents = this.#operation.answers === 'events';
        for await (const event of this.#calls.streamed(context, open)) {
          if (isEvents) report.openStream();
          const isTaken = call.write(event);
          if (isEvents) report.sent(this.#operation.rpc.output, event);
          if (!isTaken) await drained(call, context.signal);
        }
      });
      call.end(arrival.trailer);
    } catch (error) {
      call.emit('error', error);
    }
  }

  async *events(request: Uint8Array, context: CallContext): AsyncIterable<Message> {
    const handler = this.#calls.handler(this.#key);
    const message = this.#parse(request);
    requireUnrestricted(context);
    if (this.#operation.answers === 'events') {
      yield* (handler as StreamingHandler)(message, context);
      return;
    }
    const source = await (handler as ContentHandler)(message, context);
    yield create(ContentChunkSchema, { contentType: source.contentType });
    for await (const data of source.read(0, source.length)) yield create(ContentChunkSchema, { data });
  }

  async *conversation(call: ServerDuplexStream<Uint8Array, Message>, context: CallContext): AsyncIterable<Message> {
    const handler = this.#calls.handler(this.#key) as BidiHandler;
    requireUnrestricted(context);
    yield* handler(this.#messages(call), context);
  }

  async *#messages(call: ServerDuplexStream<Uint8Array, Message>): AsyncIterable<Message> {
    // The plain iterator destroys the call when the client half-closes, and the answer with it.
    const incoming = call.iterator({ destroyOnReturn: false });
    const arrival = this.#arrivals.of(call);
    for await (const bytes of incoming) {
      yield this.#parse(bytes as Uint8Array);
      arrival.taken(bytes as Uint8Array);
    }
  }

  #parse(bytes: Uint8Array): Message {
    const message = parseRequest(this.#operation.rpc.input, bytes);
    const { itemsElsewhere = [] } = this.#operation;
    const violations = validateMessage(this.#operation.rpc.input, message, { itemsElsewhere });
    if (violations.length > 0) throw invalidFields(violations);
    return message;
  }
}
