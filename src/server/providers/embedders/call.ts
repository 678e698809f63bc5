import { ProviderError } from '../errors.ts';
import type { ProviderResponse } from '../http.ts';
import { MalformedAnswer } from '../malformed-answer.ts';
import { statusError } from '../status-errors.ts';
import { resolvedUrl } from '../target-url.ts';
import { hostOf } from '../transport-errors.ts';
import type { EmbedderProtocol } from './protocol.ts';
import type { EmbedderDeps, EmbedderRecord, EmbedInputType } from './types.ts';
import { scaleToUnit } from './unit.ts';

export interface EmbedCall {
  texts: readonly string[];
  inputType: EmbedInputType;
  signal: AbortSignal;
  timeoutMs: number;
}

/** One request and its answer as it came, with the means to read it. */
export interface EmbedAnswer {
  response: ProviderResponse;
  /** Unit-length rows; throws the `ProviderError` that the answer means. */
  rows(): Float32Array[];
}

/** Slack for the JSON around the vectors and for the words of an error. */
const ANSWER_SLACK_BYTES = 1_048_576;
/** A double in JSON with its comma; twice over for indented JSON. */
const MAX_BYTES_PER_VALUE = 50;

/** Makes single calls of one embedder record: address, headers, body, answer. No batches, no retries. */
export class EmbedCaller {
  readonly url: string;
  /** `OPENAI at host` for sentences. */
  readonly peer: string;
  readonly #callable: boolean;
  readonly #record: EmbedderRecord;
  readonly #protocol: EmbedderProtocol;
  readonly #deps: EmbedderDeps;
  /** Turned off for good by the first server that refuses them. */
  #extras = true;

  constructor(record: EmbedderRecord, protocol: EmbedderProtocol, deps: EmbedderDeps) {
    this.url = resolvedUrl(record.endpointUrl, record.apiPath);
    this.#callable = URL.canParse(this.url);
    this.peer = `${record.providerType} at ${hostOf(this.url)}`;
    this.#record = record;
    this.#protocol = protocol;
    this.#deps = deps;
  }

  /** The body of a call as it would be sent now. */
  body({ texts, inputType }: Pick<EmbedCall, 'texts' | 'inputType'>): Uint8Array {
    const { modelIdentifier, dimensionality } = this.#record;
    const request = { modelIdentifier, dimensionality, texts, inputType, extras: this.#extras };
    return Buffer.from(JSON.stringify(this.#protocol.body(request)));
  }

  async send(call: EmbedCall): Promise<EmbedAnswer> {
    if (!this.#callable) {
      throw new ProviderError('configuration', `${this.#record.providerType} has no valid address`);
    }
    const secretHeaders = (await this.#record.credentials?.(call.signal)) ?? {};
    const extras = this.#extras;
    const response = await this.#exchange(call, secretHeaders);
    const context = { provider: this.#record.providerType, url: this.url, secretHeaders };
    const failure = statusError(response, context);
    if (extras && failure?.reason === 'rejected' && this.#protocol.extrasRefused?.test(textOf(response))) {
      this.#extras = false;
      return this.send(call);
    }
    return {
      response,
      rows: () => {
        if (failure !== undefined) throw failure;
        return this.#read(response, call.texts.length);
      },
    };
  }

  #exchange(call: EmbedCall, secretHeaders: Record<string, string>): Promise<ProviderResponse> {
    const rowBytes = this.#record.dimensionality * MAX_BYTES_PER_VALUE;
    return this.#deps.http.call({
      provider: this.#record.providerType,
      url: this.url,
      method: 'POST',
      headers: { ...secretHeaders, 'content-type': 'application/json', accept: 'application/json' },
      body: this.body(call),
      signal: call.signal,
      timeoutMs: call.timeoutMs,
      maxResponseBytes: ANSWER_SLACK_BYTES + call.texts.length * rowBytes,
    });
  }

  #read(response: ProviderResponse, count: number): Float32Array[] {
    let answer: unknown;
    try {
      answer = JSON.parse(textOf(response));
    } catch (cause) {
      // Mostly cut short on the way; another try costs little.
      throw this.#invalid('text that is not JSON', response, { cause, retryable: true });
    }
    let rows: Float32Array[];
    try {
      rows = this.#protocol.rows(answer);
    } catch (error) {
      if (error instanceof MalformedAnswer) throw this.#invalid(error.message, response, { cause: error });
      throw error;
    }
    if (rows.length !== count) throw this.#invalid(`${rows.length} vectors for ${count} texts`, response);
    const expected = this.#record.dimensionality;
    for (const row of rows) {
      if (row.length !== expected) {
        throw this.#invalid(`vectors of length ${row.length} instead of ${expected}`, response);
      }
      if (!scaleToUnit(row)) throw this.#invalid('a vector that is zero or not finite', response);
    }
    return rows;
  }

  #invalid(what: string, response: ProviderResponse, options: { cause?: unknown; retryable?: boolean } = {}) {
    const message = `${this.peer} answered with ${what}`;
    return new ProviderError('invalid_response', message, { httpStatus: response.status, ...options });
  }
}

function textOf(response: ProviderResponse): string {
  const { buffer, byteOffset, byteLength } = response.body;
  return Buffer.from(buffer, byteOffset, byteLength).toString('utf8');
}
