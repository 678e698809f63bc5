import { failedPrecondition, ServiceError } from '../../../shared/errors.ts';
import type { RetrieveMemoryEvent } from '../../../shared/gen/service/v1/memory_pb.ts';
import type { CallContext } from '../../context.ts';
import { llmKind, rerankerKind } from '../targets/kinds.ts';
import type { OpenLlm, OpenReranker, TargetOpener } from '../targets/open-target.ts';
import { type StatusCode, statusEvent } from './events.ts';
import { rerankingFailed } from './rerank.ts';

/** A target of the config, or the statuses that say why it is not used. */
type Opened<Target> = { target?: Target; statuses: RetrieveMemoryEvent[] };

export async function chatReranker(
  targets: TargetOpener,
  id: string | undefined,
  context: CallContext,
): Promise<Opened<OpenReranker>> {
  if (id === undefined) return { statuses: [] };
  const opened = await opening({ reranker_id: id }, () => targets.open(rerankerKind, id, 'READ', context));
  const [refusal] = opened.statuses;
  if (refusal?.event.case !== 'status') return opened;
  const { code, message } = refusal.event.value;
  const reason = code.toLowerCase().replaceAll('_', ' ');
  return { statuses: [refusal, rerankingFailed(id, { reason, message })] };
}

export async function chatLlm(
  targets: TargetOpener,
  id: string | undefined,
  context: CallContext,
): Promise<Opened<OpenLlm>> {
  return id === undefined ? { statuses: [] } : await opening({ llm_id: id }, () => openLlm(targets, id, context));
}

/** Throws NOT_FOUND, PERMISSION_DENIED, or FAILED_PRECONDITION for an LLM that cannot chat. */
export async function openLlm(targets: TargetOpener, id: string, context: CallContext): Promise<OpenLlm> {
  const llm = await targets.open(llmKind, id, 'READ', context);
  if (llm.record.capabilities.supportsChat) return llm;
  throw failedPrecondition(`LLM ${id} has no chat capability`, { resource: { kind: 'LLM', id } });
}

async function opening<Target>(details: Record<string, string>, open: () => Promise<Target>): Promise<Opened<Target>> {
  try {
    return { target: await open(), statuses: [] };
  } catch (error) {
    if (!(error instanceof ServiceError) || !isRefusal(error.code)) throw error;
    return { statuses: [statusEvent(error.code, error.message, details)] };
  }
}

/** Errors that only disable the target and do not fail the retrieval. */
function isRefusal(code: string): code is StatusCode & ServiceError['code'] {
  return code === 'NOT_FOUND' || code === 'PERMISSION_DENIED' || code === 'FAILED_PRECONDITION';
}
