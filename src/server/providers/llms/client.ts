import { CallRunner, withProviderDeadline } from '../call-runner.ts';
import { probeTarget } from '../probe.ts';
import type { ClientDeps, ProbeOptions, ProbeOutcome } from '../target.ts';
import { ChatCaller } from './call.ts';
import type { ChatOptions, ChatReply, ChatRequest, LlmClient, LlmRecord } from './types.ts';

/** A user waits, and a reply takes seconds: one retry. */
const ATTEMPTS = 2;
const SLOTS = { inFlight: 8, documentsInFlight: 8 };
/**
 * A streamed reply may take this many times the bound of a call as long as it goes on. Without it, an endless trickle
 * would hold a slot for ever.
 */
const TOTAL_TIMEOUTS = 10;

/** The client of one LLM record. */
export function createLlmClient(record: LlmRecord, deps: ClientDeps): LlmClient {
  return new HttpLlmClient(record, deps);
}

class HttpLlmClient implements LlmClient {
  readonly #deps: ClientDeps;
  readonly #caller: ChatCaller;
  readonly #runner: CallRunner;

  constructor(record: LlmRecord, deps: ClientDeps) {
    this.#deps = deps;
    this.#caller = new ChatCaller(record, deps);
    this.#runner = new CallRunner({ kind: 'llm', provider: record.providerType }, deps, SLOTS);
  }

  get resolvedEndpoint(): string {
    return this.#caller.target.url;
  }

  complete(request: ChatRequest, options: ChatOptions): Promise<ChatReply> {
    const { timeoutMs } = this.#deps;
    const { peer } = this.#caller.target;
    const deadlineMs = Math.min(
      options.deadlineMs ?? Number.POSITIVE_INFINITY,
      Date.now() + TOTAL_TIMEOUTS * timeoutMs,
    );
    let hasBegun = false;
    const onText = (text: string): void => {
      hasBegun = true;
      options.onText?.(text);
    };
    const mayRepeat = () => options.onText === undefined || !hasBegun;
    return withProviderDeadline({ signal: options.signal, deadlineMs, peer }, ({ signal }) =>
      this.#runner.run({ callClass: 'query', attempts: ATTEMPTS, signal, deadlineMs, mayRepeat }, () =>
        this.#caller.complete({ request, signal, timeoutMs, onText }),
      ),
    );
  }

  probe(payload: string, options: ProbeOptions): Promise<ProbeOutcome> {
    const request: ChatRequest = { system: '', user: payload, sampling: { maxTokens: 1 } };
    return probeTarget(this.#runner.observed, this.#caller.target.peer, options, {
      bytesSent: this.#caller.body(request).byteLength,
      send: (signal) => this.#caller.send({ request, signal, timeoutMs: options.timeoutMs }),
    });
  }
}
