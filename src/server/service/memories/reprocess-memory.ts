import { ServiceError } from '../../../shared/errors.ts';
import type { Memory } from '../../../shared/gen/service/v1/memory_pb.ts';
import type { CallContext } from '../../context.ts';
import { requeueMemory } from '../../store/memories.ts';
import type { ProcessingStatusName } from '../../store/memory-row.ts';
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
  if (isUnfinished(processingStatus)) throw beingProcessed(processingStatus);
  const row = await requeueMemory(deps.db.main, again, { signal: context.signal });
  if (row === undefined) {
    // Somebody else was faster: to queue it, or to delete it.
    const now = await loadMemory(deps, memoryId, 'CREATE_MEMORY', context);
    throw beingProcessed(now.processingStatus);
  }
  deps.ingest.wake();
  return memoryMessage(row);
}

/** The status of the moment may be a finished one again; then it does not explain the refusal, and is not told. */
function beingProcessed(status: ProcessingStatusName): ServiceError {
  return new ServiceError('FAILED_PRECONDITION', 'The memory is being processed', {
    details: isUnfinished(status) ? `processingStatus is ${status}` : '',
  });
}
