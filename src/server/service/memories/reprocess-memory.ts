import { ServiceError } from '../../../shared/errors.ts';
import type { Memory } from '../../../shared/gen/service/v1/memory_pb.ts';
import type { CallContext } from '../../context.ts';
import { requeueMemory } from '../../store/memories.ts';
import { isUnfinished } from '../../store/processing.ts';
import { MAX_ATTEMPTS } from '../ingest/failure.ts';
import { callerOf } from '../permission.ts';
import type { MemoryDeps } from './deps.ts';
import { loadMemory } from './load-memory.ts';
import { memoryMessage } from './memory-message.ts';

/**
 * Queues a processed memory again. What was made of it before stays where it is, unseen by retrieval, until the new job
 * begins and replaces it.
 */
export async function reprocessMemory(
  deps: Pick<MemoryDeps, 'db' | 'ingest'>,
  memoryId: string,
  context: CallContext,
): Promise<Memory> {
  const { spaceId, processingStatus } = await loadMemory(deps, memoryId, 'CREATE_MEMORY', context);
  const again = { spaceId, memoryId, updatedById: callerOf(context).userId, maxAttempts: MAX_ATTEMPTS };
  const row = isUnfinished(processingStatus)
    ? undefined
    : await requeueMemory(deps.db.main, again, { signal: context.signal });
  if (row === undefined) throw await notProcessed(deps, memoryId, context);
  deps.ingest.wake();
  return memoryMessage(row);
}

/** Somebody else may have been faster: to queue it again, or to delete it. */
async function notProcessed(
  deps: Pick<MemoryDeps, 'db'>,
  memoryId: string,
  context: CallContext,
): Promise<ServiceError> {
  const { processingStatus } = await loadMemory(deps, memoryId, 'CREATE_MEMORY', context);
  return new ServiceError('FAILED_PRECONDITION', 'The memory is being processed', {
    details: `processingStatus is ${processingStatus}`,
  });
}
