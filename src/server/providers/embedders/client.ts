import { isPairAt } from '../../../shared/text.ts';
import { AdaptiveBatches, isTooLarge } from '../adaptive-batches.ts';
import { CallRunner, withProviderDeadline } from '../call-runner.ts';
import { MalformedAnswer, ProviderError } from '../errors.ts';
import type { ProviderResponse } from '../http-exchange.ts';
import { observed } from '../observer.ts';
import { probeTarget, timedProbe } from '../probe.ts';
import type { ClientDeps, ProbeOptions, ProbeOutcome } from '../target.ts';
import { bodyText, TargetCaller } from '../target-caller.ts';
import { cutToTokens } from './cut.ts';
import { type EmbedderProtocol, embedderProtocol } from './protocols.ts';
import { scaleToUnit } from './rows.ts';
import type { EmbedderClient, EmbedderDeps, EmbedderRecord, EmbedInputType, EmbedOptions } from './types.ts';

/** A user waits for a query: one retry, then the caller does without this embedder. */
const ATTEMPTS = { query: 2, document: 4 } as const;
/**
 * The longest wait between retries of documents. After it the job goes back to the queue, and its worker takes another
 * one.
 */
const DOCUMENT_WAIT_MS = 2000;
const SLOTS = { inFlight: 8, documentsInFlight: 6 };
/** Parsing a longer answer would hold the event loop for more than some 5 ms. */
const MAX_ANSWER_BYTES = 1_048_576;
/** How often an input that the model finds too long is halved. */
const MAX_HALVINGS = 3;

interface Run {
  inputType: EmbedInputType;
  signal: AbortSignal;
  deadlineMs: number | undefined;
}

/** The client of one embedder record. Throws `ServiceError` UNIMPLEMENTED for a provider that this build cannot call. */
export function createEmbedderClient(record: EmbedderRecord, deps: EmbedderDeps): EmbedderClient {
  if (record.providerType === 'BUILTIN') return createBuiltinClient(record, deps);
  return new HttpEmbedderClient(record, embedderProtocol(record.providerType), deps);
}

class HttpEmbedderClient implements EmbedderClient {
  readonly #record: EmbedderRecord;
  readonly #deps: EmbedderDeps;
  readonly #caller: EmbedCaller;
  readonly #runner: CallRunner;
  readonly #batches: AdaptiveBatches;

  constructor(record: EmbedderRecord, protocol: EmbedderProtocol, deps: EmbedderDeps) {
    this.#record = record;
    this.#deps = deps;
    this.#caller = new EmbedCaller(record, protocol, deps);
    this.#runner = new CallRunner({ kind: 'embedder', provider: record.providerType }, deps, SLOTS);
    const byAnswer = Math.floor(MAX_ANSWER_BYTES / (record.dimensionality * protocol.bytesPerValue));
    const maxTexts = Math.min(protocol.maxTexts, Math.max(1, byAnswer));
    this.#batches = new AdaptiveBatches({ maxTexts, maxCharacters: protocol.maxCharacters });
  }

  get resolvedEndpoint(): string {
    return this.#caller.target.url;
  }

  embed(texts: readonly string[], options: EmbedOptions): Promise<Float32Array[]> {
    const { maxSequenceLength } = this.#record;
    const inputs = maxSequenceLength === undefined ? texts : texts.map((text) => cutToTokens(text, maxSequenceLength));
    const { signal, deadlineMs, inputType } = options;
    return withProviderDeadline({ signal, deadlineMs, peer: this.#caller.target.peer }, (scope) => {
      const run: Run = { inputType, signal: scope.signal, deadlineMs };
      return this.#batches.run(inputs, scope, (batch) => this.#batch(batch, run));
    });
  }

  probe(payload: string, options: ProbeOptions): Promise<ProbeOutcome> {
    const call = { texts: [payload], inputType: 'query' as const, timeoutMs: options.timeoutMs };
    return probeTarget(this.#runner.observed, this.#caller.target.peer, options, {
      bytesSent: this.#caller.body(call).byteLength,
      send: (signal) => this.#caller.send({ ...call, signal }),
    });
  }

  async #batch(texts: readonly string[], run: Run, halvings = 0): Promise<Float32Array[]> {
    try {
      return await this.#withRetries(texts, run);
    } catch (error) {
      const only = texts.length === 1 ? (texts[0] ?? '') : '';
      // The estimate that cut it was too generous for this text and this model.
      const mayCut = this.#record.maxSequenceLength !== undefined && halvings < MAX_HALVINGS && only.length > 1;
      if (!mayCut || !isTooLarge(error)) throw error;
      return this.#batch([firstHalf(only)], run, halvings + 1);
    }
  }

  #withRetries(texts: readonly string[], { inputType, signal, deadlineMs }: Run): Promise<Float32Array[]> {
    const capMs = inputType === 'document' ? DOCUMENT_WAIT_MS : undefined;
    const options = { callClass: inputType, attempts: ATTEMPTS[inputType], signal, deadlineMs, capMs };
    return this.#runner.run(options, async () => {
      const answer = await this.#caller.send({ texts, inputType, signal, timeoutMs: this.#deps.timeoutMs });
      return answer.read();
    });
  }
}

/** Half of the code points, never half of one. */
function firstHalf(text: string): string {
  const middle = Math.floor(text.length / 2);
  return text.slice(0, middle > 1 && isPairAt(text, middle - 1) ? middle - 1 : middle);
}

/** The in-process embedder behind the interface of the others. It has no retries: what fails there fails again. */
function createBuiltinClient(record: EmbedderRecord, deps: EmbedderDeps): EmbedderClient {
  const peer = 'BUILTIN embedder';
  const observer = { observe: deps.observe, kind: 'embedder' as const, provider: record.providerType };
  const { dimensionality, maxSequenceLength } = record;

  const embed = (texts: readonly string[], { signal, deadlineMs, inputType }: EmbedOptions) => {
    if (texts.length === 0) return Promise.resolve([]);
    const inputs = maxSequenceLength === undefined ? texts : texts.map((text) => cutToTokens(text, maxSequenceLength));
    return withProviderDeadline({ signal, deadlineMs, peer }, (scope) =>
      observed(observer, async () => {
        const rows = await deps.builtin(inputs, dimensionality, inputType, scope.signal);
        const fits = rows.length === texts.length && rows.every((row) => row.length === dimensionality);
        if (!fits || !rows.every((row) => scaleToUnit(row))) {
          throw new ProviderError('invalid_response', `${peer} computed vectors that cannot be stored`);
        }
        return rows;
      }),
    );
  };

  return {
    resolvedEndpoint: `builtin:${record.modelIdentifier}`,
    embed,
    probe: (payload, options) =>
      timedProbe(options, async (seen) => {
        seen.bytesSent = Buffer.byteLength(payload);
        const deadlineMs = Date.now() + options.timeoutMs;
        await embed([payload], { inputType: 'query', signal: options.signal, deadlineMs });
        seen.bytesReceived = dimensionality * Float32Array.BYTES_PER_ELEMENT;
      }),
  };
}

interface EmbedCall {
  texts: readonly string[];
  inputType: EmbedInputType;
  signal: AbortSignal;
  timeoutMs: number;
}

/** One request and its answer as it came, with the means to read it. */
interface EmbedAnswer {
  response: ProviderResponse;
  /** Unit-length rows; throws the `ProviderError` that the answer means. */
  read(): Float32Array[];
}

/** Slack for the JSON around the vectors and for the words of an error. */
const ANSWER_SLACK_BYTES = 1_048_576;
/** A double in JSON with its comma; twice over for indented JSON. */
const MAX_BYTES_PER_VALUE = 50;

/** Makes single calls of one embedder record: body and vectors. */
class EmbedCaller {
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
    if (extras && failure?.reason === 'rejected' && this.#protocol.extrasRefused?.test(bodyText(response))) {
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
