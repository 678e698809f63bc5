import type { Message } from '@bufbuild/protobuf';
import { keyRequired, ServiceError } from '../../shared/errors.ts';
import type { NamedOperation } from '../../shared/operations/operation.ts';
import { OPERATIONS, type OperationKey } from '../../shared/operations/table.ts';
import type { CallContext, Caller, ContentSource, Premise } from '../context.ts';
import type { Lifecycle } from '../lifecycle.ts';
import { type Logger, lateChild } from '../log.ts';
import type { Handlers } from '../service/handlers.ts';
import type { ProxyCall } from '../service/proxy/proxy.ts';
import { addressSubject, keySubject } from '../service/rate-limit/buckets.ts';
import { beyondLimit, type RateLimiter, type RateStanding } from '../service/rate-limit/rate-limiter.ts';
import { BodyBudget } from './body-budget.ts';
import { type CallObserver, NO_OBSERVER, type Transport } from './call-observer.ts';
import { begun, isStale } from './premise.ts';

/** The shapes of handlers, untyped: the operations table pairs each with its own messages. */
export type UnaryHandler = (request: Message, context: CallContext) => Promise<Message>;
export type StreamingHandler = (request: Message, context: CallContext) => AsyncIterable<Message>;
export type BidiHandler = (requests: AsyncIterable<Message>, context: CallContext) => AsyncIterable<Message>;
export type ContentHandler = (request: Message, context: CallContext) => Promise<ContentSource>;

/** What exists only once start-up has finished: the services and the look-up of keys. */
export interface Backend {
  handlers: Partial<Handlers>;
  /** Undefined for every key that is not usable, whatever the reason. */
  authenticate(rawKey: string, signal: AbortSignal): Promise<Caller | undefined>;
  /** The caller as an earlier call found the key. Without it each call looks its key up before anything else. */
  recall?(rawKey: string): Recalled | undefined;
  /** The one operation without an RPC. */
  proxy?: ProxyCall;
}

interface Recalled {
  caller: Caller | undefined;
  premise?: Premise;
}

/** What REST or gRPC knows of a call before its message is read. */
interface IncomingCall {
  operation: NamedOperation;
  transport: Transport;
  requestId: string;
  signal: AbortSignal;
  rawKey: string | undefined;
  initToken?: string | undefined;
  /** The remote address; undefined where there is none, as on a UNIX socket. */
  address: string | undefined;
  /** Called with the rate limit of the caller once the call has been counted, also when it is then refused. */
  onStanding(standing: RateStanding): void;
}

/** An admitted call. `end` must be called once, however the call ends. */
export interface Call {
  context: CallContext;
  end(): void;
}

export interface CallsOptions {
  observer?: CallObserver;
  /** Without one nothing is limited. */
  limiter?: RateLimiter;
  /** 2 GiB by default. */
  bodies?: BodyBudget;
}

/** The steps that every call passes, over REST and gRPC, in the order in which problems are reported. */
export class Calls {
  #backend: Backend | undefined;
  readonly #lifecycle: Lifecycle;
  readonly #log: Logger;
  readonly observer: CallObserver;
  readonly limiter: RateLimiter | undefined;
  /** The memory that request bodies may hold. */
  readonly bodies: BodyBudget;
  /** Those after which a call has looked its key up. */
  readonly #replaced = new WeakSet<Premise>();

  constructor(lifecycle: Lifecycle, log: Logger, options: CallsOptions = {}) {
    this.observer = options.observer ?? NO_OBSERVER;
    this.limiter = options.limiter;
    this.bodies = options.bodies ?? new BodyBudget(2 ** 31);
    this.#lifecycle = lifecycle;
    this.#log = log;
  }

  /** From now on calls reach the services. */
  serve(backend: Backend): void {
    this.#backend = backend;
  }

  /** Authenticates, counts the call and applies the drain rule. Throws ServiceError. */
  async admit(incoming: IncomingCall): Promise<Call> {
    const backend = this.#running();
    const { operation, signal } = incoming;
    const end = operation.awaitsWork === true ? () => {} : this.#lifecycle.begin();
    try {
      const { caller, premise } = await this.#caller(backend, incoming);
      if (operation.mutates && this.#lifecycle.draining) {
        throw new ServiceError('UNAVAILABLE', 'The server is draining and accepts no more writes');
      }
      const context: CallContext = {
        operation,
        requestId: incoming.requestId,
        signal,
        caller,
        premise,
        initToken: incoming.initToken,
        files: undefined,
        log: lateChild(this.#log, { requestId: incoming.requestId, operation: operation.name }),
      };
      return { context, end };
    } catch (error) {
      end();
      throw error;
    }
  }

  /** The handler of an operation. Throws UNIMPLEMENTED where this build has none. */
  handler(key: OperationKey): Handlers[keyof Handlers] {
    const handlers: Partial<Record<OperationKey, Handlers[keyof Handlers]>> = this.#running().handlers;
    const handler = handlers[key];
    if (handler === undefined) throw unimplemented(`operation ${OPERATIONS[key].rpc.name}`);
    return handler;
  }

  /** Throws UNIMPLEMENTED where this build has none. */
  get proxy(): ProxyCall {
    const { proxy } = this.#running();
    if (proxy === undefined) throw unimplemented('provider proxy');
    return proxy;
  }

  #running(): Backend {
    if (this.#backend === undefined)
      throw new ServiceError('UNAVAILABLE', 'The server is starting', { retryAfterSeconds: 1 });
    return this.#backend;
  }

  async #caller(backend: Backend, incoming: IncomingCall): Promise<Recalled> {
    const { operation, rawKey, signal } = incoming;
    const isKeyed = operation.auth !== 'none' && rawKey !== undefined && rawKey !== '';
    const recalled = isKeyed && isRead(operation) ? backend.recall?.(rawKey) : undefined;
    const found = recalled ?? { caller: isKeyed ? await backend.authenticate(rawKey, signal) : undefined };
    await this.#count(incoming, found.caller);
    if (found.caller === undefined && operation.auth === 'key') {
      this.observer.authFailed(rawKey === undefined || rawKey === '' ? 'missing' : 'invalid');
      throw keyRequired();
    }
    return found;
  }

  /**
   * Answers a call with what `run` gives. When the premise of the call turns out not to hold, `run` is called again with
   * the caller as the key is now, so `run` must do nothing that cannot be done twice. Throws what `run` throws, and
   * UNAUTHENTICATED.
   */
  async answered<T>(context: CallContext, run: (context: CallContext) => Promise<T>): Promise<T> {
    if (context.premise === undefined) return await run(context);
    try {
      const answer = await run(context);
      await context.premise.settle(context.signal);
      return answer;
    } catch (error) {
      if (!(await isStale(error, context, context.premise))) throw error;
    }
    return await run(await this.#renewed(context, context.premise));
  }

  /** The same for a stream of events: nothing of it goes out before the premise holds. */
  streamed<T>(context: CallContext, open: (context: CallContext) => AsyncIterable<T>): AsyncIterable<T> {
    if (context.premise === undefined) return open(context);
    return { [Symbol.asyncIterator]: () => this.#begun(context, open) };
  }

  /** Passes the events on as they are: a generator would cost three more turns of the microtasks for each. */
  #begun<T>(context: CallContext, open: (context: CallContext) => AsyncIterable<T>): AsyncIterator<T> {
    let events: AsyncIterator<T> | undefined;
    const first = async () => {
      const stream = await this.answered(context, (now) => begun(open(now), now));
      events = stream.events;
      return stream.first;
    };
    return {
      next: () => events?.next() ?? first(),
      return: async () => (await events?.return?.()) ?? { done: true, value: undefined },
    };
  }

  /** The error to answer in place of one that came before the premise of the call was known to hold. */
  async judged(error: unknown, context: CallContext | undefined): Promise<unknown> {
    if (context?.premise === undefined) return error;
    const { premise } = context;
    // What a call answers after it has begun again rests on the key as it is now.
    if (this.#replaced.has(premise)) return error;
    try {
      if (await isStale(error, context, premise)) await this.#renewed(context, premise);
      return error;
    } catch (refused) {
      return refused;
    }
  }

  async #renewed(context: CallContext, premise: Premise): Promise<CallContext> {
    this.#replaced.add(premise);
    const caller = await premise.renew(context.signal);
    if (caller !== undefined) return { ...context, caller, premise: undefined };
    this.observer.authFailed('invalid');
    throw keyRequired();
  }

  /** Counts the call for its key or, without a usable one, for the address. Throws RESOURCE_EXHAUSTED. */
  async #count({ transport, address, signal, onStanding }: IncomingCall, caller: Caller | undefined): Promise<void> {
    const subject = caller === undefined ? addressSubject(address) : keySubject(caller.apiKeyId);
    const standing = await this.limiter?.take(subject, signal);
    if (standing === undefined) return;
    onStanding(standing);
    if (standing.isAllowed) return;
    this.observer.rateLimited(transport);
    throw beyondLimit(standing);
  }
}

/** Whether an operation can be done twice without harm, and so on a premise. */
function isRead({ auth, mutates, readOnlyKey }: NamedOperation): boolean {
  return auth === 'key' && !mutates && readOnlyKey === 'allowed';
}

function unimplemented(what: string): ServiceError {
  return new ServiceError('UNIMPLEMENTED', `This build does not have the ${what}`);
}

/** The key of a call from its header values: `x-api-key` counts before `Authorization: Bearer`. */
export function rawKeyOf(apiKey: string | undefined, authorization: string | undefined): string | undefined {
  if (apiKey !== undefined) return apiKey;
  return authorization === undefined ? undefined : /^bearer +(.+)$/i.exec(authorization)?.[1]?.trim();
}

/** The client's own request id if it may be returned: at most 128 visible ASCII characters. */
export function acceptableRequestId(value: string | undefined): string | undefined {
  return value !== undefined && /^[\x21-\x7e]{1,128}$/.test(value) ? value : undefined;
}

/**
 * The error that the caller receives. An unexpected one is logged with its stack, and the caller gets only the request
 * id, which finds the log line.
 */
export function toServiceError(error: unknown, requestId: string, log: Logger): ServiceError {
  if (error instanceof ServiceError && error.code !== 'INTERNAL') return error;
  log.error({ err: error, requestId }, 'a call failed');
  const message = error instanceof ServiceError ? error.message : 'The server failed to answer';
  return new ServiceError('INTERNAL', message, { details: requestId, cause: error });
}

/** Whether an error is an abort: the client disconnected or canceled, or a deadline passed. */
export function isAbort(error: unknown): boolean {
  return error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError');
}
