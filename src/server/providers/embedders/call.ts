import type { ProviderResponse } from '../http-exchange.ts';
import { MalformedAnswer } from '../malformed-answer.ts';
import type { ClientDeps } from '../target.ts';
import { TargetCaller, textOf } from '../target-caller.ts';
import type { EmbedderProtocol } from './protocol.ts';
import type { EmbedderRecord, EmbedInputType } from './types.ts';
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
  read(): Float32Array[];
}

/** Slack for the JSON around the vectors and for the words of an error. */
const ANSWER_SLACK_BYTES = 1_048_576;
/** A double in JSON with its comma; twice over for indented JSON. */
const MAX_BYTES_PER_VALUE = 50;

/** Makes single calls of one embedder record: body and vectors. */
export class EmbedCaller {
  readonly target: TargetCaller;
  readonly #record: EmbedderRecord;
  readonly #protocol: EmbedderProtocol;
  /** Turned off for good by the first server that refuses them. */
  #extras = true;

  constructor(record: EmbedderRecord, protocol: EmbedderProtocol, deps: ClientDeps) {
    this.target = new TargetCaller(record, deps.http);
    this.#record = record;
    this.#protocol = protocol;
  }

  /** The body of a call as it would be sent now. */
  body({ texts, inputType }: Pick<EmbedCall, 'texts' | 'inputType'>): Uint8Array {
    const { modelIdentifier, dimensionality } = this.#record;
    const request = { modelIdentifier, dimensionality, texts, inputType, extras: this.#extras };
    return Buffer.from(JSON.stringify(this.#protocol.body(request)));
  }

  async send(call: EmbedCall): Promise<EmbedAnswer> {
    const { texts, signal, timeoutMs } = call;
    const extras = this.#extras;
    const rowBytes = this.#record.dimensionality * MAX_BYTES_PER_VALUE;
    const answer = await this.target.send({
      body: this.body(call),
      signal,
      timeoutMs,
      maxResponseBytes: ANSWER_SLACK_BYTES + texts.length * rowBytes,
    });
    const { response, failure } = answer;
    if (extras && failure?.reason === 'rejected' && this.#protocol.extrasRefused?.test(textOf(response))) {
      this.#extras = false;
      return this.send(call);
    }
    return { response, read: () => answer.read((json) => this.#rows(json, texts.length)) };
  }

  #rows(answer: unknown, count: number): Float32Array[] {
    const rows = this.#protocol.rows(answer);
    if (rows.length !== count) throw new MalformedAnswer(`${rows.length} vectors for ${count} texts`);
    const expected = this.#record.dimensionality;
    for (const row of rows) {
      if (row.length !== expected) {
        throw new MalformedAnswer(`vectors of length ${row.length} instead of ${expected}`);
      }
      if (!scaleToUnit(row)) throw new MalformedAnswer('a vector that is zero or not finite');
    }
    return rows;
  }
}
