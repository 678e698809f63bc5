import { ServiceError } from '../../../shared/errors.ts';
import { isUuid } from '../../../shared/fields/formats.ts';
import type { CallContext } from '../../context.ts';
import type { LlmClient, LlmRecord } from '../../providers/llms/types.ts';
import type { RerankerClient, RerankerRecord } from '../../providers/rerankers/types.ts';
import type { Queryable } from '../../store/db.ts';
import { llmKind } from '../llms/llm-kind.ts';
import { requireTarget } from '../permission.ts';
import { rerankerKind } from '../rerankers/reranker-kind.ts';
import { notFound } from '../resource-ids.ts';
import { loadTarget } from '../targets/load-targets.ts';
import type { TargetKind } from '../targets/target-kind.ts';

/** Records of one kind and the clients that call them. */
interface Calling<Record, Client> {
  load(id: string, signal: AbortSignal): Promise<Record>;
  client(record: Record): Client;
}

/** What post processors call. */
export interface ProcessingTargets {
  pool: Queryable;
  rerankers: Calling<RerankerRecord, RerankerClient>;
  llms: Calling<LlmRecord, LlmClient>;
}

/** A target that exists and that the caller may use. */
export interface OpenTarget<Client> {
  id: string;
  /** Its provider type. */
  provider: string;
  client: Client;
}

/** Throws NOT_FOUND or PERMISSION_DENIED. */
export async function openReranker(
  { pool, rerankers }: ProcessingTargets,
  id: string,
  context: CallContext,
): Promise<OpenTarget<RerankerClient>> {
  await requireReadable(pool, rerankerKind, id, context);
  const record = await rerankers.load(id, context.signal);
  return { id, provider: record.providerType, client: rerankers.client(record) };
}

/** Throws NOT_FOUND, PERMISSION_DENIED, or FAILED_PRECONDITION for an LLM that cannot chat. */
export async function openLlm(
  { pool, llms }: ProcessingTargets,
  id: string,
  context: CallContext,
): Promise<OpenTarget<LlmClient>> {
  await requireReadable(pool, llmKind, id, context);
  const record = await llms.load(id, context.signal);
  if (!record.capabilities.supportsChat) {
    throw new ServiceError('FAILED_PRECONDITION', `LLM ${id} has no chat capability`);
  }
  return { id, provider: record.providerType, client: llms.client(record) };
}

async function requireReadable<Own>(pool: Queryable, kind: TargetKind<Own>, id: string, context: CallContext) {
  // Post processors of others may ask for anything.
  if (!isUuid(id)) throw notFound(kind.title, id);
  const row = await loadTarget(pool, kind, id, context.signal);
  requireTarget(context, `READ_${kind.resource}`, row);
}
