import type { JsonObject } from '@bufbuild/protobuf';
import { openScope } from '../../../shared/async/deadline.ts';
import { startTimer } from '../../../shared/async/timer.ts';
import { invalidFields } from '../../../shared/errors.ts';
import { ChunkSchema, MemorySchema, type RetrieveMemoryEvent } from '../../../shared/gen/service/v1/memory_pb.ts';
import { ContextItemSchema, type ContextItem as ContextMessage } from '../../../shared/gen/service/v1/retrieve_pb.ts';
import { encodeJson } from '../../../shared/json/encode.ts';
import type { CallContext } from '../../context.ts';
import type { PostProcessorModule } from '../../workers/post-processor/module.ts';
import { type Created, ModuleUnresponsive, Unsendable } from '../../workers/post-processor/remote-call.ts';
import type { Chunk, ContextItem, Item, Memory, Tools } from '../../workers/post-processor/types.ts';
import type { RankedChunk } from '../retrieval/candidates.ts';
import { openLlm } from '../retrieval/chat-targets.ts';
import { replyEvent, statusEvent } from '../retrieval/events.ts';
import type { LoadResults, PostProcessing, Processed, ProcessedCall } from '../retrieval/post-processing.ts';
import type { Results } from '../retrieval/results.ts';
import { rerankerKind } from '../targets/kinds.ts';
import type { TargetOpener } from '../targets/open-target.ts';
import type { PostProcessorFactories } from './load-modules.ts';
import { BadOutput, Outputs } from './outputs.ts';

export interface CustomDeps extends ToolDeps {
  postProcessors: PostProcessorFactories;
}

/** The post processor that a request selects. */
interface Chosen {
  module: Pick<PostProcessorModule, 'create'>;
  name: string;
  config: JsonObject;
}

/** One retrieval with a post processor of a module. */
interface CustomCall extends Chosen {
  call: ProcessedCall;
  limit: TimeLimit;
  tools: CallTools;
}

type Processor = Extract<Created, { kind: 'created' }>;

const DEFAULT_SIZE = 20;
const MAX_SIZE = 1000;
/** Enough for one call to a reranker and one to an LLM, each with its timeout. */
const TIMEOUTS = 2;

/**
 * Prepares a post processor of a module for one call. If it fails before its first item, the results are those of the
 * search; after that, they are its items so far. Throws INVALID_ARGUMENT when it refuses the config.
 */
export async function prepareCustom(deps: CustomDeps, chosen: Chosen, call: ProcessedCall): Promise<PostProcessing> {
  const { controller: scope, signal, close } = openScope({ signal: call.context.signal });
  const limit = { scope, timeoutMs: TIMEOUTS * deps.providerTimeoutMs };
  const custom: CustomCall = { ...chosen, call, limit, tools: callTools(deps, call, signal) };
  const end = () => {
    close();
    scope.abort(new Error('The retrieval has ended'));
  };
  try {
    const processor = await created(custom);
    const size = Math.max(call.request.requestedSize, wanted(processor) ?? 0) || DEFAULT_SIZE;
    return { candidates: size, statuses: [], process: (found, load) => processed(custom, processor, found, load), end };
  } catch (error) {
    end();
    throw error;
  }
}

/** The result of `create`, or why it did not return. Throws INVALID_ARGUMENT when `create` throws. */
async function created({ module, name, config, call, limit, tools }: CustomCall): Promise<Processor | Failure> {
  const { signal } = limit.scope;
  let answer: Created;
  try {
    call.context.signal.throwIfAborted();
    answer = await withinTime(limit, () => module.create(name, { config, tools, signal }));
  } catch (error) {
    call.context.signal.throwIfAborted();
    return failureOf(error, signal);
  }
  if (answer.kind === 'created') return answer;
  if (answer.kind === 'refused') throw invalidFields([{ path: 'postProcessor.config', problem: answer.problem }]);
  call.context.log.error({ postProcessor: name }, 'create() returned no post processor');
  throw invalidFields([{ path: 'postProcessor.name', problem: 'the post processor is broken' }]);
}

function wanted(processor: Processor | Failure): number | undefined {
  const { candidates } = { candidates: undefined, ...processor };
  if (candidates === undefined || !Number.isInteger(candidates) || candidates < 1) return undefined;
  return Math.min(candidates, MAX_SIZE);
}

async function processed(
  custom: CustomCall,
  processor: Processor | Failure,
  found: readonly RankedChunk[],
  load: LoadResults,
): Promise<Processed> {
  const results = await load(found, { memories: true });
  if ('reason' in processor) return { results, statuses: [failed(custom, processor)] };
  const { request, context } = custom.call;
  const input = { message: request.message, context: inputTurns(request.context), items: inputItems(results) };
  const { outputs, failure } = await collect(() => processor.process(input), { ...custom.limit, context });
  const isEmpty = failure !== undefined && outputs.items.length === 0;
  const { abstract } = outputs;
  return {
    results: isEmpty ? results : { ...results, items: outputs.items, memories: outputs.memories },
    statuses: [...outputs.statuses, ...(failure === undefined ? [] : [failed(custom, failure)])],
    stageName: custom.tools.hasReranked && !isEmpty ? 'rerank' : undefined,
    conclude: abstract === undefined ? undefined : (resultSetId) => reply(resultSetId, abstract),
  };
}

/** The error is only logged: it may contain details of the server that callers must not see. */
function failed({ name, call }: CustomCall, { reason, error }: Failure) {
  call.context.log.error({ err: error, postProcessor: name }, 'post processor failed');
  const message =
    'The post processor failed; the results are those it returned before or, if there are none, those of the search';
  return statusEvent('CONFIGURATION_ERROR', message, { resource_id: name, reason });
}

async function* reply(resultSetId: string, text: string): AsyncIterable<RetrieveMemoryEvent> {
  yield replyEvent(resultSetId, text);
}

interface CollectOptions extends TimeLimit {
  context: Pick<CallContext, 'signal'>;
}

interface Collected {
  outputs: Outputs;
  failure?: Failure;
}

/**
 * Collects the outputs of a post processor until it ends, fails or times out; aborts the scope at the end. Rejects with the
 * reason of the signal after a client abort.
 */
async function collect(open: () => AsyncIterable<unknown>, options: CollectOptions): Promise<Collected> {
  const { scope, context } = options;
  const outputs = new Outputs();
  try {
    context.signal.throwIfAborted();
    await withinTime(options, async () => {
      for await (const output of open()) outputs.add(output);
    });
    return { outputs };
  } catch (error) {
    context.signal.throwIfAborted();
    return { outputs, failure: failureOf(error, scope.signal) };
  } finally {
    scope.abort(new Error('The post processor has ended'));
  }
}

/** The results as input of a post processor: copies in JSON form. */
function inputItems({ items, memories }: Results): Item[] {
  return items.flatMap(({ item, memoryId, score }) => {
    const memory = memories.get(memoryId);
    if (item.case !== 'chunk' || memory === undefined) return [];
    return [
      {
        chunk: JSON.parse(encodeJson(ChunkSchema, item.value)) as Chunk,
        memory: JSON.parse(encodeJson(MemorySchema, memory)) as Memory,
        score,
      },
    ];
  });
}

function inputTurns(turns: readonly ContextMessage[]): ContextItem[] {
  return turns.map((turn) => JSON.parse(encodeJson(ContextItemSchema, turn)) as ContextItem);
}

/** Why a post processor did not finish. */
interface Failure {
  reason: 'error' | 'timeout' | 'bad output';
  error: unknown;
}

/** `scope` is the signal of the work, aborted by a timeout. */
function failureOf(error: unknown, scope: AbortSignal): Failure {
  if (error instanceof BadOutput || error instanceof Unsendable) return { reason: 'bad output', error };
  return { reason: scope.aborted || error instanceof ModuleUnresponsive ? 'timeout' : 'error', error };
}

interface TimeLimit {
  /** Aborts all work of the post processor for one retrieval; aborted by a timeout. */
  scope: AbortController;
  timeoutMs: number;
}

/** Runs work that listens to the signal of the scope, and aborts the scope after the timeout. */
async function withinTime<T>({ scope, timeoutMs }: TimeLimit, work: () => Promise<T>): Promise<T> {
  const timer = startTimer(timeoutMs, () => scope.abort(new Error('The post processor timed out')));
  try {
    return await work();
  } finally {
    timer.clear();
  }
}

interface ToolDeps {
  targets: TargetOpener;
  /** Timeout of one call to a provider in milliseconds. */
  providerTimeoutMs: number;
}

const DEFAULT_TOKENS = 512;
const DEFAULT_TEMPERATURE = 0.3;

/** The inference tools of one call, and whether a reranker was used. */
interface CallTools extends Tools {
  readonly hasReranked: boolean;
}

/** Creates the tools of one call. Every use needs the permissions of the caller of the retrieval, and is aborted by `signal`. */
function callTools(
  { targets, providerTimeoutMs }: ToolDeps,
  { context, stages }: ProcessedCall,
  signal: AbortSignal,
): CallTools {
  const calling = { ...context, signal };
  let hasReranked = false;
  return {
    get hasReranked() {
      return hasReranked;
    },
    async rerank(id, query, texts) {
      const client = (await targets.open(rerankerKind, id, 'READ', calling)).client();
      const options = { signal, deadlineMs: Date.now() + providerTimeoutMs };
      const scores = await stages.run('rerank', () => client.rerank(query, texts, options));
      hasReranked = true;
      return scores;
    },
    async complete(id, system, user, { temperature = DEFAULT_TEMPERATURE, maxTokens = DEFAULT_TOKENS } = {}) {
      const client = (await openLlm(targets, id, calling)).client();
      const request = { system, user, sampling: { temperature, maxTokens } };
      const reply = await stages.run('summarize', () => client.complete(request, { signal }));
      if (reply.finish === 'length') throw new Error(`The reply was longer than ${maxTokens} tokens`);
      return reply.text;
    },
  };
}
