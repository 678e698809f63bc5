import type { Dispatcher } from 'undici';
import { openScope, type Scope } from '../../shared/async/deadline.ts';
import { dispatch } from './http-exchange.ts';
import { outOfTime, type TransportProgress, transportError } from './transport-errors.ts';

/** A request that is passed on as it is. */
interface ForwardRequest {
  /** Named in errors, e.g. `OPENAI`. */
  provider: string;
  url: string;
  method: string;
  headers: Record<string, string | string[]>;
  /** Undefined: there is none. */
  body: AsyncIterable<Uint8Array> | undefined;
  signal: AbortSignal;
  /** Bound of every pause in milliseconds: of the upload, before the first byte of the answer, and within it. */
  timeoutMs: number;
}

export interface ForwardedAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: AsyncIterable<Uint8Array>;
  /** Must be called once the answer is done with: what was not read of it until then never is. */
  close(): void;
}

/**
 * Sends a request on and hands its answer back while it arrives; redirects are answers like any other. Rejects with a
 * `ProviderError` when no answer began, with what reading the body throws, or with the signal's reason.
 */
export async function forward(dispatcher: Dispatcher, request: ForwardRequest): Promise<ForwardedAnswer> {
  const { provider, url, signal, timeoutMs } = request;
  signal.throwIfAborted();
  const progress: TransportProgress = { provider, url, timeoutMs, idle: true, timedOut: false, answering: false };
  const scope = openScope({ signal, timeoutMs, timeoutReason: () => outOfTime(progress) });
  const end = () => {
    scope.close();
    scope.controller.abort();
  };
  // The reason why the upload ended early is kept: the HTTP client reports only a broken request.
  let uploadFailure: unknown;
  const uploadFailed = (error: unknown) => {
    uploadFailure = error;
    return error;
  };
  const failed = (error: unknown) => {
    end();
    signal.throwIfAborted();
    return uploadFailure ?? transportError(error, progress);
  };
  try {
    const target = new URL(url);
    const answer = await dispatch(dispatcher, {
      origin: target.origin,
      path: target.pathname + target.search,
      method: request.method as Dispatcher.HttpMethod,
      headers: request.headers,
      body: request.body === undefined ? null : (passing(request.body, scope, uploadFailed) as never),
      signal: scope.signal,
    });
    progress.answering = true;
    scope.refresh();
    const body = passing(answer.body, scope, failed);
    return { status: answer.statusCode, headers: answer.headers, body, close: end };
  } catch (error) {
    throw failed(error);
  }
}

/** Passes a body on and restarts the time-out with every part. It throws what `failed` makes of an error. */
async function* passing(
  body: AsyncIterable<Uint8Array>,
  scope: Scope,
  failed: (error: unknown) => unknown,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const part of body) {
      scope.refresh();
      yield part;
    }
  } catch (error) {
    throw failed(error);
  }
}
