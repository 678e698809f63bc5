import { isPairAt } from '../../../shared/text.ts';
import { ProviderError } from '../errors.ts';
import { observed } from '../observer.ts';
import { withRetries } from '../retry.ts';
import { type BatchLimits, planBatches } from './batches.ts';
import { createBuiltinClient } from './builtin-client.ts';
import { EmbedCaller } from './call.ts';
import { cutToTokens } from './cut.ts';
import { mapBounded } from './map-bounded.ts';
import { probeEmbedder } from './probe.ts';
import type { EmbedderProtocol } from './protocol.ts';
import { embedderProtocol } from './protocols.ts';
import { withDeadline } from './scope.ts';
import { CallSlots } from './slots.ts';
import type {
  EmbedderClient,
  EmbedderDeps,
  EmbedderRecord,
  EmbedInputType,
  EmbedOptions,
  ProbeOptions,
  ProbeOutcome,
} from './types.ts';

/** A query has a person waiting: one more try, then the caller serves what it can. */
const ATTEMPTS = { query: 2, document: 4 } as const;
const CALLS_IN_FLIGHT = 8;
const DOCUMENT_CALLS_IN_FLIGHT = 6;
/** Of one caller, so that a large ingestion takes turns with others. */
const BATCHES_AT_ONCE = 4;
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
  readonly #slots = new CallSlots(CALLS_IN_FLIGHT, DOCUMENT_CALLS_IN_FLIGHT);
  #limits: BatchLimits;

  constructor(record: EmbedderRecord, protocol: EmbedderProtocol, deps: EmbedderDeps) {
    this.#record = record;
    this.#deps = deps;
    this.#caller = new EmbedCaller(record, protocol, deps);
    const byAnswer = Math.floor(MAX_ANSWER_BYTES / (record.dimensionality * protocol.bytesPerValue));
    const maxTexts = Math.min(protocol.maxTexts, Math.max(1, byAnswer));
    this.#limits = { maxTexts, maxCharacters: protocol.maxCharacters };
  }

  get resolvedEndpoint(): string {
    return this.#caller.url;
  }

  embed(texts: readonly string[], options: EmbedOptions): Promise<Float32Array[]> {
    const { maxSequenceLength } = this.#record;
    const inputs = maxSequenceLength === undefined ? texts : texts.map((text) => cutToTokens(text, maxSequenceLength));
    const { signal, deadlineMs, inputType } = options;
    return withDeadline({ signal, deadlineMs, peer: this.#caller.peer }, async (scope) => {
      const run: Run = { inputType, signal: scope.signal, deadlineMs };
      const rows = new Array<Float32Array>(inputs.length);
      await mapBounded(
        planBatches(inputs, this.#limits),
        BATCHES_AT_ONCE,
        async ({ start, end }) => {
          for (const [i, row] of (await this.#batch(inputs.slice(start, end), run)).entries()) rows[start + i] = row;
        },
        () => scope.abort(new DOMException('Another batch failed', 'AbortError')),
      );
      return rows;
    });
  }

  async probe(payload: string, options: ProbeOptions): Promise<ProbeOutcome> {
    return probeEmbedder(this.#caller, payload, options, this.#observer());
  }

  async #batch(texts: readonly string[], run: Run, halvings = 0): Promise<Float32Array[]> {
    try {
      return await this.#withRetries(texts, run);
    } catch (error) {
      if (!isTooLarge(error)) throw error;
      if (texts.length > 1) return this.#halves(texts, run);
      const only = texts[0] ?? '';
      // The estimate that cut it was too generous for this text and this model.
      if (this.#record.maxSequenceLength === undefined || halvings >= MAX_HALVINGS || only.length < 2) throw error;
      return this.#batch([firstHalf(only)], run, halvings + 1);
    }
  }

  /**
   * Servers limit the size of a request as they like. What fits is remembered once both halves went through; a single
   * input that no server would take must not make the batches of everybody small.
   */
  async #halves(texts: readonly string[], run: Run): Promise<Float32Array[]> {
    const middle = Math.ceil(texts.length / 2);
    const first = await this.#batch(texts.slice(0, middle), run);
    const second = await this.#batch(texts.slice(middle), run);
    this.#limits = { ...this.#limits, maxTexts: Math.min(this.#limits.maxTexts, middle) };
    return [...first, ...second];
  }

  #withRetries(texts: readonly string[], run: Run): Promise<Float32Array[]> {
    const { signal, inputType } = run;
    const once = async () => {
      const answer = await this.#caller.send({ texts, inputType, signal, timeoutMs: this.#deps.timeoutMs });
      return answer.rows();
    };
    return withRetries(() => this.#slots.run(inputType, signal, () => observed(this.#observer(), once)), {
      signal,
      attempts: ATTEMPTS[inputType],
      ...(run.deadlineMs === undefined ? {} : { deadlineMs: run.deadlineMs }),
    });
  }

  #observer() {
    return { observe: this.#deps.observe, kind: 'embedder' as const, provider: this.#record.providerType };
  }
}

const TOO_LARGE = /batch|too (?:many|long|large|big)|maximum|context length|exceed/i;

function isTooLarge(error: unknown): boolean {
  if (!(error instanceof ProviderError) || error.reason !== 'rejected') return false;
  // What the server said, not what it is called.
  return error.httpStatus === 413 || TOO_LARGE.test(error.message.slice(error.message.indexOf(' answered ')));
}

/** Half of the code points, never half of one. */
function firstHalf(text: string): string {
  const middle = Math.floor(text.length / 2);
  return text.slice(0, middle > 1 && isPairAt(text, middle - 1) ? middle - 1 : middle);
}
