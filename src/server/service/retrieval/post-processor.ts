import { invalidFields } from '../../../shared/errors.ts';
import type { RetrieveMemoryRequest } from '../../../shared/gen/service/v1/memory_pb.ts';
import { type CustomDeps, prepareCustom } from '../post-processors/prepare.ts';
import { CHAT_NAME } from './chat-config.ts';
import { type ChatDeps, prepareChat } from './chat-post-processor.ts';
import type { PostProcessing, ProcessedCall } from './post-processing.ts';

export type PostProcessorDeps = ChatDeps & CustomDeps;

const DEFAULT_SIZE = 20;
/** Makes the post processing of a call ready. Throws INVALID_ARGUMENT for a config that a custom one refuses. */
export type Prepare = (call: ProcessedCall) => Promise<PostProcessing>;

/** The post processing that a request asks for. Throws INVALID_ARGUMENT for a name that nobody has. */
export function postProcessorOf(deps: PostProcessorDeps, { postProcessor }: RetrieveMemoryRequest): Prepare {
  if (postProcessor === undefined) return preparePlain;
  const { name = CHAT_NAME, config = {} } = postProcessor;
  if (name.split('.').at(-1) === CHAT_NAME) return (call) => prepareChat(deps, config, call);
  const module = deps.postProcessors.get(name);
  if (module !== undefined) return (call) => prepareCustom(deps, { module, name, config }, call);
  throw invalidFields([{ path: 'postProcessor.name', problem: 'no post processor has this name' }]);
}

/** The results as the search ranked them. */
async function preparePlain({ request: { requestedSize } }: ProcessedCall): Promise<PostProcessing> {
  const candidates = requestedSize === 0 ? DEFAULT_SIZE : requestedSize;
  return {
    candidates,
    statuses: [],
    process: async (found, load) => ({ results: await load(found.slice(0, candidates)), statuses: [] }),
  };
}
