import type { JsonObject } from '@bufbuild/protobuf';
import { invalidFields } from '../../../shared/errors.ts';
import { isObject } from '../../../shared/json/is-object.ts';
import type { RankedChunk } from '../retrieval/candidates.ts';
import { replyEvent, statusEvent } from '../retrieval/events.ts';
import type { LoadResults, PostProcessing, ProcessedCall } from '../retrieval/post-processing.ts';
import { collect } from './collect.ts';
import { inputItems, inputTurns } from './input.ts';
import type { PostProcessorFactories } from './load-modules.ts';
import { callTools, type ToolDeps } from './tools.ts';
import type { PostProcessor, PostProcessorFactory } from './types.ts';

export interface CustomDeps extends ToolDeps {
  postProcessors: PostProcessorFactories;
}

const DEFAULT_SIZE = 20;
const MAX_SIZE = 1000;
/** One call to a reranker and one to an LLM, each within its bound. */
const TIMEOUTS = 2;

/**
 * A post processor of a module as the post processing of one call. When it fails before its first item, the results are
 * those of the search; after that, what it gave so far. Throws INVALID_ARGUMENT when it refuses the config.
 */
export async function prepareCustom(
  deps: CustomDeps,
  factory: PostProcessorFactory,
  config: JsonObject,
  call: ProcessedCall,
): Promise<PostProcessing> {
  const { request, context } = call;
  const scope = new AbortController();
  context.signal.addEventListener('abort', () => scope.abort(context.signal.reason), { once: true });
  const tools = callTools(deps, call, scope.signal);
  const processor = created(factory, config, tools, call);
  const size = Math.max(request.requestedSize, wanted(processor) ?? 0) || DEFAULT_SIZE;
  return {
    candidates: size,
    statuses: [],
    async process(found: readonly RankedChunk[], load: LoadResults) {
      const results = await load(found, { memories: true });
      const input = {
        message: request.message,
        context: inputTurns(request.context),
        items: inputItems(results),
        signal: scope.signal,
      };
      const timeoutMs = TIMEOUTS * deps.providerTimeoutMs;
      const { outputs, failure } = await collect(() => processor.process(input), { scope, timeoutMs, context });
      const statuses = [...outputs.statuses];
      if (failure !== undefined) {
        context.log.error({ err: failure.error, postProcessor: factory.name }, 'a post processor failed');
        statuses.push(failed(factory.name, failure.reason));
      }
      const isEmpty = failure !== undefined && outputs.items.length === 0;
      const { abstract } = outputs;
      return {
        results: isEmpty ? results : { ...results, items: outputs.items, memories: outputs.memories },
        statuses,
        stageName: tools.hasReranked && !isEmpty ? 'rerank' : undefined,
        conclude: abstract === undefined ? undefined : async (resultSetId) => [replyEvent(resultSetId, abstract)],
      };
    },
  };
}

function created(
  factory: PostProcessorFactory,
  config: JsonObject,
  tools: Parameters<PostProcessorFactory['create']>[1],
  { context }: ProcessedCall,
): PostProcessor {
  let processor: unknown;
  try {
    processor = factory.create(config, tools);
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : 'the post processor refuses it';
    throw invalidFields([{ path: 'postProcessor.config', problem }], { cause });
  }
  if (isObject(processor) && typeof processor.process === 'function') return processor as unknown as PostProcessor;
  context.log.error({ postProcessor: factory.name }, 'create() gave no post processor');
  throw invalidFields([{ path: 'postProcessor.name', problem: 'the post processor is broken' }]);
}

function wanted({ candidates }: PostProcessor): number | undefined {
  const isUsable = Number.isInteger(candidates) && (candidates ?? 0) >= 1;
  return isUsable ? Math.min(candidates ?? 0, MAX_SIZE) : undefined;
}

/** Its own words stay in the log: they may tell of the server what callers should not read. */
function failed(name: string, reason: string) {
  const message = 'The post processor failed; what it gave until then is served, or else the results of the search';
  return statusEvent('CONFIGURATION_ERROR', message, { resource_id: name, reason });
}
