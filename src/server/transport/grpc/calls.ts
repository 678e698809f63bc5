import type { Message } from '@bufbuild/protobuf';
import { create } from '@bufbuild/protobuf';
import {
  type handleBidiStreamingCall,
  type handleServerStreamingCall,
  type handleUnaryCall,
  Metadata,
  type ServerDuplexStream,
  type ServerUnaryCall,
  type ServerWritableStream,
  type UntypedHandleCall,
} from '@grpc/grpc-js';
import { v7 as uuidv7 } from 'uuid';
import { type ErrorCode, invalidFields, ServiceError } from '../../../shared/errors.ts';
import { validateMessage } from '../../../shared/fields/validate.ts';
import { ContentChunkSchema } from '../../../shared/gen/service/v1/common_pb.ts';
import type { Operation } from '../../../shared/operations/operation.ts';
import { OPERATIONS, type OperationKey } from '../../../shared/operations/table.ts';
import type { CallContext, ContentSource } from '../../context.ts';
import type { Logger } from '../../log.ts';
import type { ContentOperation } from '../../service/handlers.ts';
import { requireUnrestricted } from '../../service/permission.ts';
import { CallReport } from '../call-report.ts';
import { acceptableRequestId, type Call, type Calls, rawKeyOf } from '../calls.ts';
import { drained } from '../drained.ts';
import { isAbort, toServiceError } from '../failure.ts';
import { parseRequest } from './bridge.ts';
import { callSignal } from './call-signal.ts';
import { ensureRateLimitMetadata, remoteAddress, setRateLimitMetadata } from './rate-limit-metadata.ts';
import { toGrpcError } from './status.ts';

type AnyCall =
  | ServerUnaryCall<Uint8Array, Message>
  | ServerWritableStream<Uint8Array, Message>
  | ServerDuplexStream<Uint8Array, Message>;

/** The three shapes of handlers, untyped: the operations table pairs each with its own messages. */
type Unary = (request: Message, context: CallContext) => Promise<Message>;
type Streaming = (request: Message, context: CallContext) => AsyncIterable<Message>;
type Bidi = (requests: AsyncIterable<Message>, context: CallContext) => AsyncIterable<Message>;
type Content = (request: Message, context: CallContext) => Promise<ContentSource>;

const CONTENT_OPERATIONS: ReadonlySet<OperationKey> = new Set<ContentOperation>([
  'getMemoryContent',
  'getMemoryText',
  'getMemoryPageImageContent',
]);

/** grpc-js implementations of one service, made from the operations table. */
export function grpcHandlers(calls: Calls, log: Logger, version: string): Map<Operation, UntypedHandleCall> {
  const handlers = new Map<Operation, UntypedHandleCall>();
  for (const [name, operation] of Object.entries(OPERATIONS)) {
    const key = name as OperationKey;
    handlers.set(operation, grpcHandler(new GrpcOperation(operation, key, calls, log, version)));
  }
  return handlers;
}

function grpcHandler(operation: GrpcOperation): UntypedHandleCall {
  switch (operation.kind) {
    case 'unary':
      return ((call, callback) => {
        const trailer = new Metadata();
        operation.unary(call, trailer).then(
          (message) => callback(null, message, trailer),
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
  readonly #log: Logger;
  readonly #version: string;

  constructor(operation: Operation, key: OperationKey, calls: Calls, log: Logger, version: string) {
    this.#operation = operation;
    this.#key = key;
    this.#calls = calls;
    this.#log = log;
    this.#version = version;
  }

  get kind() {
    return this.#operation.rpc.methodKind;
  }

  async unary(call: ServerUnaryCall<Uint8Array, Message>, trailer: Metadata): Promise<Message> {
    return await this.#inCall(call, trailer, async (context) => {
      const handler = this.#calls.handler(this.#key) as Unary;
      const message = this.#parse(call.request);
      requireUnrestricted(context);
      return await handler(message, context);
    });
  }

  /** Sends what `open` yields, at the client's pace; a failure ends the call with its status. */
  async stream(
    call: ServerWritableStream<Uint8Array, Message> | ServerDuplexStream<Uint8Array, Message>,
    open: (context: CallContext) => AsyncIterable<Message>,
  ): Promise<void> {
    const trailer = new Metadata();
    try {
      await this.#inCall(call, trailer, async (context, report) => {
        const isEvents = !CONTENT_OPERATIONS.has(this.#key);
        for await (const event of open(context)) {
          if (isEvents) report.openStream();
          const isTaken = call.write(event);
          if (isEvents) report.sent(this.#operation.rpc.output, event);
          if (!isTaken) await drained(call, context.signal);
        }
      });
      call.end(trailer);
    } catch (error) {
      call.emit('error', error);
    }
  }

  async *events(request: Uint8Array, context: CallContext): AsyncIterable<Message> {
    const handler = this.#calls.handler(this.#key);
    const message = this.#parse(request);
    requireUnrestricted(context);
    if (!CONTENT_OPERATIONS.has(this.#key)) {
      yield* (handler as Streaming)(message, context);
      return;
    }
    const source = await (handler as Content)(message, context);
    yield create(ContentChunkSchema, { contentType: source.contentType });
    for await (const data of source.read(0, source.length)) yield create(ContentChunkSchema, { data });
  }

  async *conversation(call: ServerDuplexStream<Uint8Array, Message>, context: CallContext): AsyncIterable<Message> {
    const handler = this.#calls.handler(this.#key) as Bidi;
    requireUnrestricted(context);
    yield* handler(this.#messages(call), context);
  }

  async *#messages(call: ServerDuplexStream<Uint8Array, Message>): AsyncIterable<Message> {
    // The plain iterator destroys the call when the client half-closes, and the answer with it.
    const incoming = call.iterator({ destroyOnReturn: false });
    for await (const bytes of incoming) yield this.#parse(bytes as Uint8Array);
  }

  #parse(bytes: Uint8Array): Message {
    const message = parseRequest(this.#operation.rpc.input, bytes);
    const { itemsElsewhere = [] } = this.#operation;
    const violations = validateMessage(this.#operation.rpc.input, message, { itemsElsewhere });
    if (violations.length > 0) throw invalidFields(violations);
    return message;
  }

  async #inCall<T>(
    call: AnyCall,
    trailer: Metadata,
    run: (context: CallContext, report: CallReport) => Promise<T>,
  ): Promise<T> {
    const requestId = acceptableRequestId(text(call, 'x-request-id')) ?? uuidv7();
    const { signal, release } = callSignal(call);
    const started = performance.now();
    const report = new CallReport(this.#calls.observer, 'grpc', this.#operation);
    let admitted: Call | undefined;
    let code: ErrorCode | 'OK' = 'OK';
    try {
      this.#sendHeaders(call, requestId);
      admitted = await this.#calls.admit({
        operation: this.#operation,
        transport: 'grpc',
        requestId,
        signal,
        rawKey: rawKeyOf(text(call, 'x-api-key'), text(call, 'authorization')),
        initToken: text(call, 'x-service-init-token'),
        address: remoteAddress(call),
        onStanding: (standing) => setRateLimitMetadata(trailer, standing),
      });
      return await run(admitted.context, report);
    } catch (error) {
      const failure =
        signal.aborted && isAbort(error)
          ? new ServiceError('DEADLINE_EXCEEDED', 'The call ended before it was answered', { cause: error })
          : toServiceError(error, requestId, this.#log);
      code = failure.code;
      report.fail(isCancelled(signal) ? 'CANCELLED' : code);
      ensureRateLimitMetadata(this.#calls, call, trailer);
      throw toGrpcError(failure, trailer);
    } finally {
      admitted?.end();
      report.end();
      release();
      const ms = Math.round(performance.now() - started);
      this.#log.debug({ requestId, operation: this.#operation.name, code, ms }, 'answered');
    }
  }

  #sendHeaders(call: AnyCall, requestId: string): void {
    const metadata = new Metadata();
    metadata.set('x-request-id', requestId);
    metadata.set('x-service-version', this.#version);
    call.sendMetadata(metadata);
  }
}

/** The client's own doing, unlike a deadline. */
function isCancelled({ aborted, reason }: AbortSignal): boolean {
  return aborted && (reason as Error).name === 'AbortError';
}

function text(call: AnyCall, key: string): string | undefined {
  const value = call.metadata.get(key)[0];
  return typeof value === 'string' ? value : undefined;
}
