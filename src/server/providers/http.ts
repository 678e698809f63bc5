import { Agent, type Dispatcher } from 'undici';
import { type LookupAll, providerConnector } from './connector.ts';
import { ProviderError } from './errors.ts';
import { type TransportProgress, transportError } from './transport-errors.ts';

export interface ProviderHttpOptions {
  /** `--provider-allow-link-local` */
  allowLinkLocal: boolean;
  /** Default 16. */
  connectionsPerOrigin?: number;
  /** Default 10,000. */
  connectTimeoutMs?: number;
  lookup?: LookupAll;
}

export interface ProviderRequest {
  /** Named in errors, e.g. `OPENAI`. */
  provider: string;
  url: string;
  method: 'GET' | 'POST';
  headers: Record<string, string>;
  body?: Uint8Array;
  signal: AbortSignal;
  /** From now to the last byte of the answer. */
  timeoutMs: number;
  /** A longer answer is an `invalid_response`. */
  maxResponseBytes: number;
}

export interface ProviderTiming {
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

/**
 * Outbound HTTP, one instance for a process: connections are kept alive and bounded for each origin, certificates are
 * verified, redirects are answers like any other, and every call ends with its signal or its bound.
 */
export interface ProviderHttp {
  /** Rejects with a `ProviderError` when no complete answer came, or with the signal's reason. */
  call(request: ProviderRequest): Promise<ProviderResponse>;
  /** For calls whose answer is streamed; the address checks hold there too. */
  readonly dispatcher: Dispatcher;
  /** Ends idle connections and breaks the others. */
  close(): Promise<void>;
}

export function createProviderHttp(options: ProviderHttpOptions): ProviderHttp {
  const agent = new Agent({
    connections: options.connectionsPerOrigin ?? 16,
    connect: providerConnector({
      allowLinkLocal: options.allowLinkLocal,
      connectTimeoutMs: options.connectTimeoutMs ?? 10_000,
      ...(options.lookup === undefined ? {} : { lookup: options.lookup }),
    }),
    // Queries come in bursts; undici's 4 s would pay for a new TLS handshake in most pauses.
    keepAliveTimeout: 30_000,
    // The timer of the call bounds headers and body together.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return {
    call: (request) => call(agent, request),
    dispatcher: agent,
    close: () => agent.destroy(),
  };
}

async function call(dispatcher: Dispatcher, request: ProviderRequest): Promise<ProviderResponse> {
  request.signal.throwIfAborted();
  const controller = new AbortController();
  const stop = () => controller.abort(request.signal.reason);
  request.signal.addEventListener('abort', stop, { once: true });
  const { provider, url, timeoutMs } = request;
  const progress: TransportProgress = { provider, url, timeoutMs, timedOut: false, answering: false };
  const timer = setTimeout(() => {
    progress.timedOut = true;
    controller.abort();
  }, timeoutMs);
  try {
    return await exchange(dispatcher, request, controller.signal, progress);
  } catch (error) {
    request.signal.throwIfAborted();
    throw transportError(error, progress);
  } finally {
    clearTimeout(timer);
    request.signal.removeEventListener('abort', stop);
  }
}

async function exchange(
  dispatcher: Dispatcher,
  request: ProviderRequest,
  signal: AbortSignal,
  progress: TransportProgress,
): Promise<ProviderResponse> {
  const url = new URL(request.url);
  const sentUnixNanos = BigInt(Date.now()) * 1_000_000n;
  const started = process.hrtime.bigint();
  const answer = await dispatcher.request({
    origin: url.origin,
    path: url.pathname + url.search,
    method: request.method,
    headers: { 'accept-encoding': 'identity', ...request.headers },
    body: request.body ?? null,
    signal,
  });
  progress.answering = true;
  const body = await readBounded(answer.body, request);
  const elapsed = process.hrtime.bigint() - started;
  return {
    status: answer.statusCode,
    headers: answer.headers,
    body,
    bytesSent: request.body?.byteLength ?? 0,
    bytesReceived: body.byteLength,
    timing: { sentUnixNanos, receivedUnixNanos: sentUnixNanos + elapsed, rttMs: Number(elapsed) / 1e6 },
  };
}

async function readBounded(body: Dispatcher.ResponseData['body'], request: ProviderRequest): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  // Leaving the loop destroys the stream, and with it the connection: the rest is never read.
  for await (const part of body as AsyncIterable<Uint8Array>) {
    length += part.byteLength;
    if (length > request.maxResponseBytes) {
      const host = new URL(request.url).host;
      const message = `${request.provider} at ${host} sent more than ${request.maxResponseBytes} bytes`;
      throw new ProviderError('invalid_response', message);
    }
    parts.push(part);
  }
  return Buffer.concat(parts, length);
}
