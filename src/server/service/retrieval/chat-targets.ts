import { ServiceError } from '../../../shared/errors.ts';
import type { RetrieveMemoryEvent } from '../../../shared/gen/service/v1/memory_pb.ts';
import type { CallContext } from '../../context.ts';
import type { LlmClient } from '../../providers/llms/types.ts';
import type { RerankerClient } from '../../providers/rerankers/types.ts';
import { type StatusCode, statusEvent } from './events.ts';
import { rerankingFailed } from './rerank.ts';
import { type OpenTarget, openLlm, openReranker, type ProcessingTargets } from './targets.ts';

/** A target that the config names, or why it is not used. */
export type Opened<Client> = { target?: OpenTarget<Client>; statuses: RetrieveMemoryEvent[] };

export async function chatReranker(
  targets: ProcessingTargets,
  id: string | undefined,
  context: CallContext,
): Promise<Opened<RerankerClient>> {
  if (id === undefined) return { statuses: [] };
  const opened = await opening({ reranker_id: id }, () => openReranker(targets, id, context));
  const [refusal] = opened.statuses;
  if (refusal?.event.case !== 'status') return opened;
  const { code, message } = refusal.event.value;
  const reason = code.toLowerCase().replaceAll('_', ' ');
  return { statuses: [refusal, rerankingFailed(id, { reason, message })] };
}

export async function chatLlm(
  targets: ProcessingTargets,
  id: string | undefined,
  context: CallContext,
): Promise<Opened<LlmClient>> {
  return id === undefined ? { statuses: [] } : await opening({ llm_id: id }, () => openLlm(targets, id, context));
}

async function opening<Client>(
  details: Record<string, string>,
  open: () => Promise<OpenTarget<Client>>,
): Promise<Opened<Client>> {
  try {
    return { target: await open(), statuses: [] };
  } catch (error) {
    if (!(error instanceof ServiceError) || !isRefusal(error.code)) throw error;
    return { statuses: [statusEvent(error.code, error.message, details)] };
  }
}

/** What costs the caller the target, and not the results. */
function isRefusal(code: string): code is StatusCode & ServiceError['code'] {
  return code === 'NOT_FOUND' || code === 'PERMISSION_DENIED' || code === 'FAILED_PRECONDITION';
}
