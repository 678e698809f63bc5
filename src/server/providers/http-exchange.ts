import type { Dispatcher } from 'undici';
import { unlessAborted } from '../../shared/async/abort.ts';
import { openScope } from '../../shared/async/deadline.ts';
import type { Reach } from './addresses.ts';
import { ProviderError } from './errors.ts';
import { outOfTime, type TransportProgress, transportError } from './transport-errors.ts';

export interface ProviderRequest {
  /** Named in errors, e.g. `OPENAI`. */
  provider: string;
  url: string;
  /** Of the target that is called. */
  reach: Reach;
  method: 'GET' | 'POST';
  headers: Record<string, string>;
  body?: Uint8Array;
  signal: AbortSignal;
  /** `call`: from now to the last byte of the answer. `stream`: to its first byte, and then of every pause in it. */
  timeoutMs: number;
  /** A longer answer is an `invalid_response`. */
  maxResponseBytes: number;
}

interface ProviderTiming {
  sentUnixNanos: bigint;
  receivedUnixNanos: bigint;
  /** `receivedUnixNanos` − `sentUnixNanos` in milliseconds. */
  rttMs: number;
}

/** An answer of any status, read to its end. Bytes are those of the bodies. */
export interface ProviderResponse {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Uint8Array;
  bytesSent: number;
  bytesReceived: number;
  timing: ProviderTiming;
}

/** An answer whose head has arrived. Its body is read once, by either means. */
export interface StreamedAnswer {
  status: number;
  headers: ProviderResponse['headers'];
  /** The body as it comes. Throws `ProviderError`s, or the signal's reason. */
  parts: AsyncIterable<Uint8Array>;
  /** The body in one piece. Rejects like `parts`. */
  whole(): Promise<ProviderResponse>;
}

/**
 * One request and its answer, within its signal and its time: with `idle` the time starts anew with every part of the
 * answer. Whatever was not read when `read` settles is never read: the connection is closed.
 */
export async function exchange<T>(
  dispatcher: Dispatcher,
  request: ProviderRequest,
  { idle }: { idle: boolean },
  read: (answer: StreamedAnswer) => Promise<T>,
): Promise<T> {
  request.signal.throwIfAborted();
  const { provider, url, timeoutMs } = request;
  const progress: TransportProgress = { provider, url, timeoutMs, idle, timedOut: false, answering: false };
  const scope = openScope({ signal: request.signal, timeoutMs, timeoutReason: () => outOfTime(progress) });
  const failed = (error: unknown) => {
    request.signal.throwIfAborted();
    return transportError(error, progress);
  };
  try {
    const answer = await open(dispatcher, request, scope.signal).catch((error: unknown) => {
      throw failed(error);
    });
    progress.answering = true;
    return await read(answer(() => idle && scope.refresh(), failed));
  } finally {
    scope.close();
    scope.controller.abort();
  }
}

type Answering = (alive: () => unknown, failed: (error: unknown) => unknown) => StreamedAnswer;

async function open(dispatcher: Dispatcher, request: ProviderRequest, signal: AbortSignal): Promise<Answering> {
  const url = new URL(request.url);
  const sentUnixNanos = BigInt(Date.now()) * 1_000_000n;
  const started = process.hrtime.bigint();
  const { statusCode, headers, body } = await dispatch(dispatcher, {
    origin: url.origin,
    path: url.pathname + url.search,
    method: request.method,
    headers: { 'accept-encoding': 'identity', ...request.headers },
    body: request.body ?? null,
    signal,
  });
  return (alive, failed) => {
    const parts = bounded(body, request, alive, failed);
    return {
      status: statusCode,
      headers,
      parts,
      async whole() {
        const received: Uint8Array[] = [];
        for await (const part of parts) received.push(part);
        const whole = Buffer.concat(received);
        const elapsed = process.hrtime.bigint() - started;
        return {
          status: statusCode,
          headers,
          body: whole,
          bytesSent: request.body?.byteLength ?? 0,
          bytesReceived: whole.byteLength,
          timing: { sentUnixNanos, receivedUnixNanos: sentUnixNanos + elapsed, rttMs: Number(elapsed) / 1e6 },
        };
      },
    };
  };
}

async function* bounded(
  body: AsyncIterable<Uint8Array>,
  { provider, url, maxResponseBytes }: ProviderRequest,
  alive: () => unknown,
  failed: (error: unknown) => unknown,
): AsyncGenerator<Uint8Array> {
  let length = 0;
  try {
    for await (const part of body) {
      alive();
      length += part.byteLength;
      if (length > maxResponseBytes) {
        const message = `${provider} at ${new URL(url).host} sent more than ${maxResponseBytes} bytes`;
        throw new ProviderError('invalid_response', message);
      }
      yield part;
    }
  } catch (error) {
    throw failed(error);
  }
}

/**
 * As `dispatcher.request`, but ends with its signal at any time. The HTTP client itself looks at the signal only once the
 * request has a connection: while all of them are taken, or one is being opened, it would wait beyond every bound.
 */
export function dispatch(
  dispatcher: Dispatcher,
  request: Dispatcher.RequestOptions & { signal: AbortSignal },
): Promise<Dispatcher.ResponseData> {
  return unlessAborted(dispatcher.request(request), request.signal);
}
