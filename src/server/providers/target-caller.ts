import { MalformedAnswer, ProviderError } from './errors.ts';
import type { ProviderHttp } from './http.ts';
import type { ProviderRequest, ProviderResponse, StreamedAnswer } from './http-exchange.ts';
import { type StatusContext, statusError } from './status-errors.ts';
import type { TargetRecord } from './target.ts';
import { hostOf } from './transport-errors.ts';

/** The part of a record that says where and how to call. */
type CallableRecord = Omit<TargetRecord, 'id' | 'updatedAt'>;

export interface TargetCall {
  /** JSON, encoded. */
  body: Uint8Array;
  signal: AbortSignal;
  timeoutMs: number;
  /** A longer answer is an `invalid_response`. */
  maxResponseBytes: number;
}

/** One complete answer as it came, with the means to read it. */
export interface TargetAnswer {
  response: ProviderResponse;
  /** What the status means; undefined for 2xx. */
  failure: ProviderError | undefined;
  context: StatusContext;
  /**
   * What `parse` makes of the JSON. Throws the failure of the status, and an `invalid_response` for text that is not
   * JSON and for a `MalformedAnswer` of `parse`.
   */
  read<T>(parse: (answer: unknown) => T): T;
}

/** An answer that is still arriving. Parts that break off throw `ProviderError`s. */
export interface TargetStream extends StreamedAnswer {
  context: StatusContext;
}

/** Makes single calls to one target: address, credential, status, JSON. No batches, no retries. */
export class TargetCaller {
  readonly url: string;
  /** `OPENAI at host` for sentences. */
  readonly peer: string;
  readonly #record: CallableRecord;
  readonly #http: ProviderHttp;

  constructor(record: CallableRecord, http: ProviderHttp) {
    this.url = resolvedUrl(record.endpointUrl, record.apiPath);
    this.peer = `${record.providerType} at ${hostOf(this.url)}`;
    this.#record = record;
    this.#http = http;
  }

  /** Resolves with an answer of any status; rejects with a `ProviderError`, or with the signal's reason. */
  async send(call: TargetCall): Promise<TargetAnswer> {
    const { request, context } = await this.#request(call, 'application/json');
    return this.#answer(await this.#http.call(request), context);
  }

  /**
   * Hands a successful answer to `read` as it arrives, one with another status to `refused`. Once either has settled
   * the connection is closed.
   */
  async stream<T>(
    call: TargetCall,
    on: { read(stream: TargetStream): Promise<T>; refused(answer: TargetAnswer): Promise<T> },
  ): Promise<T> {
    const { request, context } = await this.#request(call, 'text/event-stream, application/json');
    return this.#http.stream(request, async (answer) => {
      if (answer.status >= 200 && answer.status < 300) return on.read({ ...answer, context });
      return on.refused(this.#answer(await answer.whole(), context));
    });
  }

  /** An answer that has arrived by `stream` in one piece. */
  async whole(stream: TargetStream): Promise<TargetAnswer> {
    return this.#answer(await stream.whole(), stream.context);
  }

  /** The failure of an answer that says something else than it should; `what` completes "… answered with ". */
  invalid(what: string, httpStatus: number, options: { cause?: unknown; retryable?: boolean } = {}): ProviderError {
    return new ProviderError('invalid_response', `${this.peer} answered with ${what}`, { httpStatus, ...options });
  }

  async #request(call: TargetCall, accept: string): Promise<{ request: ProviderRequest; context: StatusContext }> {
    const { providerType: provider, credentials, reach } = this.#record;
    if (!URL.canParse(this.url)) throw new ProviderError('configuration', `${provider} has no valid address`);
    const secretHeaders = (await credentials?.(call.signal)) ?? {};
    const headers = { ...secretHeaders, 'content-type': 'application/json', accept };
    return {
      request: { ...call, provider, url: this.url, reach, method: 'POST', headers },
      context: { provider, url: this.url, secretHeaders },
    };
  }

  #answer(response: ProviderResponse, context: StatusContext): TargetAnswer {
    const failure = statusError(response, context);
    return {
      response,
      failure,
      context,
      read: (parse) => {
        if (failure !== undefined) throw failure;
        return this.#read(response, parse);
      },
    };
  }

  #read<T>(response: ProviderResponse, parse: (answer: unknown) => T): T {
    let answer: unknown;
    try {
      answer = JSON.parse(bodyText(response));
    } catch (cause) {
      // Mostly cut short on the way; another try costs little.
      throw this.invalid('text that is not JSON', response.status, { cause, retryable: true });
    }
    try {
      return parse(answer);
    } catch (error) {
      if (error instanceof MalformedAnswer) throw this.invalid(error.message, response.status, { cause: error });
      throw error;
    }
  }
}

export function bodyText({ body }: Pick<ProviderResponse, 'body'>): string {
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');
}

/**
 * The address that a record's calls go to: `endpointUrl` + `apiPath`. Only the slash between the two is evened out,
 * because addresses with and without a trailing slash count as the same target.
 */
function resolvedUrl(endpointUrl: string, apiPath: string): string {
  if (apiPath === '') return endpointUrl;
  const base = endpointUrl.endsWith('/') ? endpointUrl.slice(0, -1) : endpointUrl;
  return apiPath.startsWith('/') || apiPath.startsWith('?') ? base + apiPath : `${base}/${apiPath}`;
}
