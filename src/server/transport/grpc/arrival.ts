import { setMaxListeners } from 'node:events';
import { Metadata, type ServerInterceptingCallInterface, type ServerUnaryCall } from '@grpc/grpc-js';
import { v7 as uuidv7 } from 'uuid';
import { startTimer } from '../../../shared/async/timer.ts';
import { type ErrorCode, ServiceError } from '../../../shared/errors.ts';
import type { Operation } from '../../../shared/operations/operation.ts';
import type { CallContext } from '../../context.ts';
import type { Logger } from '../../log.ts';
import { addressSubject } from '../../service/rate-limit/buckets.ts';
import type { RateStanding } from '../../service/rate-limit/rate-limiter.ts';
import { type BodyShare, KEYLESS_BYTES } from '../body-budget.ts';
import { CallReport } from '../call-observer.ts';
import { acceptableRequestId, type Call, type Calls, isAbort, rawKeyOf, toServiceError } from '../calls.ts';
import { inFieldNames } from './field-names.ts';
import { Intake } from './intake.ts';
import { type GrpcError, toGrpcError } from './status.ts';

/** What all calls have in common. */
export interface ArrivalOptions {
  calls: Calls;
  log: Logger;
  version: string;
  maxMessageBytes: number;
  /** The period in which a message has to make progress. */
  messagePeriodMs: number;
}

/** A call of an operation, from its headers to its end. Its messages are not read before it is admitted. */
export class Arrival {
  /** Sent with the status of the call. */
  readonly trailer = new Metadata();
  readonly share: BodyShare;
  readonly #call: ServerInterceptingCallInterface;
  readonly #metadata: Metadata;
  readonly #operation: Operation;
  readonly #options: ArrivalOptions;
  readonly #requestId: string;
  readonly #intake: Intake;
  readonly #report: CallReport;
  readonly #signal: CallSignal;
  readonly #started = performance.now();
  #admitted: Call | undefined;
  #code: ErrorCode | 'OK' = 'OK';
  #isHandled = false;
  #isOver = false;

  constructor(
    call: ServerInterceptingCallInterface,
    metadata: Metadata,
    operation: Operation,
    options: ArrivalOptions,
  ) {
    const { calls, maxMessageBytes } = options;
    this.#call = call;
    this.#metadata = metadata;
    this.#operation = operation;
    this.#options = options;
    this.#requestId = requestIdOf(metadata);
    this.share = calls.bodies.open();
    this.#intake = new Intake(call, {
      requestId: this.#requestId,
      maxBytes: operation.auth === 'key' ? maxMessageBytes : Math.min(KEYLESS_BYTES, maxMessageBytes),
      share: this.share,
      statusOf: (error) => this.#failure(error),
      onFailure: (code) => this.#failed(code),
    });
    this.#signal = callSignal(call);
    this.#report = new CallReport(calls.observer, 'grpc', operation);
  }

  /** Admits the call and calls `proceed`, which may read its messages, or ends the call with an error status. */
  async admit(proceed: () => void): Promise<void> {
    const { calls, messagePeriodMs } = this.#options;
    try {
      this.#sendHeaders();
      const admitted = await calls.admit({
        operation: this.#operation,
        transport: 'grpc',
        requestId: this.#requestId,
        signal: this.#signal.signal,
        rawKey: rawKeyOf(text(this.#metadata, 'x-api-key'), text(this.#metadata, 'authorization')),
        initToken: text(this.#metadata, 'x-service-init-token'),
        address: remoteAddress(this.#call),
        onStanding: (standing) => setRateLimitMetadata(this.trailer, standing),
      });
      this.#admitted = admitted;
      this.share.belongTo(admitted.context.caller?.userId);
      // A client that cancels while its key is looked up closes the call before there is one to end.
      if (this.#isOver) admitted.end();
      else this.#intake.watch(() => !this.#isHandled, messagePeriodMs);
    } catch (error) {
      this.#call.sendStatus(this.#failure(error));
      return;
    }
    proceed();
  }

  /** Runs the handler of the call. Rejects with a status. */
  async handle<T>(run: (context: CallContext, report: CallReport) => Promise<T>): Promise<T> {
    this.#isHandled = true;
    try {
      if (this.#admitted === undefined) throw new Error('a handler ran without admission');
      const { input } = this.#operation.rpc;
      const named = (error: ServiceError) => inFieldNames(error, input);
      return await run({ ...this.#admitted.context, named }, this.#report);
    } catch (error) {
      throw this.#failure(error);
    } finally {
      this.#finish();
    }
  }

  /** Releases the memory of a message that has been processed, while the call goes on. */
  taken(content: Uint8Array): void {
    this.#intake.taken(content);
  }

  /** The client has canceled the call, or the whole answer is sent. */
  closed(): void {
    if (this.#isOver) return;
    this.#signal.cancel();
    if (this.#isHandled) return;
    // Every other end of a call has set its code before.
    this.#report.fail('CANCELLED');
    this.#finish();
  }

  #sendHeaders(): void {
    const headers = new Metadata();
    headers.set('x-request-id', this.#requestId);
    headers.set('x-service-version', this.#options.version);
    this.#call.sendMetadata(headers);
  }

  #failure(error: unknown): GrpcError {
    const { signal } = this.#signal;
    const failure =
      signal.aborted && isAbort(error)
        ? new ServiceError('DEADLINE_EXCEEDED', 'The call ended before it was answered', { cause: error })
        : toServiceError(error, this.#requestId, this.#options.log);
    this.#failed(failure.code);
    ensureRateLimitMetadata(this.#options.calls, this.#call, this.trailer);
    return toGrpcError(inFieldNames(failure, this.#operation.rpc.input), this.trailer);
  }

  #failed(code: ErrorCode): void {
    this.#code = code;
    this.#report.fail(isCanceled(this.#signal.signal) ? 'CANCELLED' : code);
  }

  #finish(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#admitted?.end();
    this.#report.end();
    this.#signal.release();
    this.#intake.close();
    const ms = Math.round(performance.now() - this.#started);
    const facts = { requestId: this.#requestId, operation: this.#operation.name, code: this.#code, ms };
    this.#options.log.debug(facts, 'answered');
  }
}

export function requestIdOf(metadata: Metadata): string {
  return acceptableRequestId(text(metadata, 'x-request-id')) ?? uuidv7();
}

/** Whether the client canceled, as against a deadline that passed. */
function isCanceled({ aborted, reason }: AbortSignal): boolean {
  return aborted && (reason as Error).name === 'AbortError';
}

function text(metadata: Metadata, key: string): string | undefined {
  const value = metadata.get(key)[0];
  return typeof value === 'string' ? value : undefined;
}

interface CallSignal {
  signal: AbortSignal;
  /** Aborts the signal because the client canceled the call. */
  cancel(): void;
  /** Must be called when the call is over. */
  release(): void;
}

/** One signal for the client's cancellation and its deadline. */
function callSignal(call: Pick<ServerInterceptingCallInterface, 'getDeadline'>): CallSignal {
  const controller = new AbortController();
  // Each of the queries that a call runs at once listens; that many listeners are no leak.
  setMaxListeners(0, controller.signal);
  const deadline = call.getDeadline();
  const left = deadline instanceof Date ? deadline.getTime() - Date.now() : deadline - Date.now();
  const late = () => controller.abort(new DOMException('The deadline passed', 'TimeoutError'));
  const timer = left === Number.POSITIVE_INFINITY ? undefined : startTimer(left, late);
  return {
    signal: controller.signal,
    cancel: () => controller.abort(new DOMException('The client canceled the call', 'AbortError')),
    release: () => timer?.clear(),
  };
}

type WithPeer = Pick<ServerUnaryCall<unknown, unknown>, 'getPeer'>;

/** The peer without its port; undefined for a peer without a network address. */
function remoteAddress(call: WithPeer): string | undefined {
  return /^(.+):\d+$/.exec(call.getPeer())?.[1];
}

/** Sets the rate limit of the caller; nothing when there is no limit. */
function setRateLimitMetadata(metadata: Metadata, standing: RateStanding | undefined): void {
  if (standing === undefined) return;
  metadata.set('x-ratelimit-limit', String(standing.limit));
  metadata.set('x-ratelimit-remaining', String(standing.remaining));
  metadata.set('x-ratelimit-reset', String(standing.resetsAt));
}

/** Sets the rate limit of the address on a refusal that came before the call was counted. */
function ensureRateLimitMetadata(calls: Calls, call: WithPeer, metadata: Metadata): void {
  if (metadata.get('x-ratelimit-limit').length > 0) return;
  setRateLimitMetadata(metadata, calls.limiter?.peek(addressSubject(remoteAddress(call))));
}
