import { isObject } from '../../../shared/json/parse.ts';
import { AdaptiveBatches } from '../adaptive-batches.ts';
import { CallRunner, withProviderDeadline } from '../call-runner.ts';
import { MalformedAnswer } from '../errors.ts';
import { probeTarget } from '../probe.ts';
import type { ClientDeps, ProbeOptions, ProbeOutcome } from '../target.ts';
import { type TargetAnswer, TargetCaller } from '../target-caller.ts';
import { type RerankerProtocol, rerankerProtocol } from './protocols.ts';
import type { RerankerClient, RerankerRecord, RerankOptions } from './types.ts';

/** A user waits: one retry, then the caller keeps the order that it has. */
const ATTEMPTS = 2;
const SLOTS = { inFlight: 8, documentsInFlight: 8 };
/** Slack for the JSON around the results and for the words of an error. */
const ANSWER_SLACK_BYTES = 1_048_576;
/** Index and score of one result; servers that send the texts back escape them at worst to six times their length. */
const RESULT_BYTES = 512;
const ESCAPED = 6;

interface RerankCall {
  query: string;
  texts: readonly string[];
  signal: AbortSignal;
  timeoutMs: number;
}

/** The client of one reranker record. */
export function createRerankerClient(record: RerankerRecord, deps: ClientDeps): RerankerClient {
  return new HttpRerankerClient(record, rerankerProtocol(record.providerType), deps);
}

class HttpRerankerClient implements RerankerClient {
  readonly #record: RerankerRecord;
  readonly #protocol: RerankerProtocol;
  readonly #deps: ClientDeps;
  readonly #caller: TargetCaller;
  readonly #runner: CallRunner;
  readonly #batches: AdaptiveBatches;

  constructor(record: RerankerRecord, protocol: RerankerProtocol, deps: ClientDeps) {
    this.#record = record;
    this.#protocol = protocol;
    this.#deps = deps;
    this.#caller = new TargetCaller(record, deps.http);
    this.#runner = new CallRunner({ kind: 'reranker', provider: record.providerType }, deps, SLOTS);
    this.#batches = new AdaptiveBatches(protocol);
  }

  get resolvedEndpoint(): string {
    return this.#caller.url;
  }

  /** A model scores each text by itself, so the scores of several batches compare. */
  rerank(query: string, texts: readonly string[], { signal, deadlineMs }: RerankOptions): Promise<number[]> {
    return withProviderDeadline({ signal, deadlineMs, peer: this.#caller.peer }, (scope) =>
      this.#batches.run(texts, scope, (batch) => this.#batch(query, batch, { signal: scope.signal, deadlineMs })),
    );
  }

  probe(payload: string, options: ProbeOptions): Promise<ProbeOutcome> {
    const call = { query: payload, texts: [payload], timeoutMs: options.timeoutMs };
    return probeTarget(this.#runner.observed, this.#caller.peer, options, {
      bytesSent: this.#body(call).byteLength,
      send: async (signal) => {
        const answer = await this.#send({ ...call, signal });
        return { response: answer.response, read: () => this.#scores(answer, 1) };
      },
    });
  }

  #batch(
    query: string,
    texts: readonly string[],
    { signal, deadlineMs }: { signal: AbortSignal; deadlineMs: number | undefined },
  ): Promise<number[]> {
    return this.#runner.run({ callClass: 'query', attempts: ATTEMPTS, signal, deadlineMs }, async () => {
      const answer = await this.#send({ query, texts, signal, timeoutMs: this.#deps.timeoutMs });
      return this.#scores(answer, texts.length);
    });
  }

  #body({ query, texts }: Pick<RerankCall, 'query' | 'texts'>): Uint8Array {
    const { modelIdentifier } = this.#record;
    return Buffer.from(JSON.stringify(this.#protocol.body({ modelIdentifier, query, texts })));
  }

  #send(call: RerankCall): Promise<TargetAnswer> {
    const { texts, signal, timeoutMs } = call;
    const body = this.#body(call);
    const maxResponseBytes = ANSWER_SLACK_BYTES + texts.length * RESULT_BYTES + body.byteLength * ESCAPED;
    return this.#caller.send({ body, signal, timeoutMs, maxResponseBytes });
  }

  #scores(answer: TargetAnswer, count: number): number[] {
    return answer.read((json) => scoresIn(json, this.#protocol, count));
  }
}

/**
 * The scores of an answer in the order of the texts. Answers come best first and name their texts by index: each of the
 * `count` texts must be there once. Throws `MalformedAnswer`.
 */
function scoresIn(answer: unknown, protocol: RerankerProtocol, count: number): number[] {
  const { resultsMember, scoreMember } = protocol;
  const results = resultsMember === undefined ? answer : isObject(answer) ? answer[resultsMember] : undefined;
  if (!Array.isArray(results)) throw new MalformedAnswer('no list of results');
  if (results.length !== count) throw new MalformedAnswer(`${results.length} scores for ${count} texts`);
  const scores = new Array<number | undefined>(count).fill(undefined);
  for (const result of results) {
    const { index, [scoreMember]: score } = isObject(result) ? result : {};
    if (typeof index !== 'number' || !(index in scores) || scores[index] !== undefined) {
      throw new MalformedAnswer('results whose index is missing, out of range or repeated');
    }
    // What JSON writes as 1e999 is infinite.
    if (typeof score !== 'number' || !Number.isFinite(score)) {
      throw new MalformedAnswer(`a result without a finite ${scoreMember}`);
    }
    scores[index] = score;
  }
  return scores.filter((score) => score !== undefined);
}
