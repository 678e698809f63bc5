import { isPairAt } from '../../../shared/text.ts';
import { AdaptiveBatches, isTooLarge } from '../adaptive-batches.ts';
import { CallRunner } from '../call-runner.ts';
import { probeTarget } from '../probe.ts';
import { withDeadline } from '../scope.ts';
import type { ProbeOptions, ProbeOutcome } from '../target.ts';
import { createBuiltinClient } from './builtin-client.ts';
import { EmbedCaller } from './call.ts';
import { cutToTokens } from './cut.ts';
import type { EmbedderProtocol } from './protocol.ts';
import { embedderProtocol } from './protocols.ts';
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
    return withDeadline({ signal, deadlineMs, peer: this.#caller.target.peer }, (scope) => {
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
