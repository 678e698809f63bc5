import { notFound, ServiceError } from '../../../shared/errors.ts';
import type { Memory, ProcessingHistory } from '../../../shared/gen/service/v1/memory_pb.ts';
import type { CallContext, Permission } from '../../context.ts';
import { type OwnedMemoryRow, selectMemories } from '../../store/memories.ts';
import type { MemoryRow } from '../../store/memory-row.ts';
import { requireInSpace } from '../permission.ts';
import { wholeContent } from './content-source.ts';
import type { MemoryDeps } from './deps.ts';
import { loadHistories } from './history.ts';
import { memoryMessage } from './memory-message.ts';

/** A memory that the caller may do this to. Throws NOT_FOUND and PERMISSION_DENIED. */
export async function loadMemory(
  deps: Pick<MemoryDeps, 'db'>,
  memoryId: string,
  permission: Permission,
  context: CallContext,
): Promise<OwnedMemoryRow> {
  const [memory] = await selectMemories(deps.db.main, [memoryId], { signal: context.signal });
  if (memory === undefined) throw notFound('Memory', memoryId);
  requireInSpace(context, permission, memory);
  return memory;
}

export interface RecordOptions {
  includeContent: boolean;
  includeProcessingHistory: boolean;
}

/**
 * The records of memories in their order, with what was asked for. Contents of one answer may be as large together as
 * one may be alone: beyond, `tooLarge` decides what stands in the place of the record.
 */
export async function memoryRecords<T = never>(
  deps: Pick<MemoryDeps, 'db' | 'maxContentBytes'>,
  memories: readonly MemoryRow[],
  { includeContent, includeProcessingHistory }: RecordOptions,
  context: CallContext,
  tooLarge: (error: ServiceError) => T,
): Promise<(Memory | T)[]> {
  const { main } = deps.db;
  const { signal } = context;
  const histories = includeProcessingHistory
    ? await loadHistories(main, memories, context, { signal })
    : new Map<string, ProcessingHistory>();
  const records: (Memory | T)[] = [];
  let bytes = 0;
  for (const memory of memories) {
    const history = histories.get(memory.memoryId);
    bytes += memory.contentLength;
    if (includeContent && bytes > deps.maxContentBytes && records.length > 0) {
      records.push(tooLarge(answerTooLarge(deps.maxContentBytes)));
    } else {
      const content = includeContent ? await wholeContent(main, memory, signal) : undefined;
      records.push(memoryMessage(memory, { content, history }));
    }
  }
  return records;
}

function answerTooLarge(bytes: number): ServiceError {
  return new ServiceError('PAYLOAD_TOO_LARGE', `The requested contents together are larger than ${bytes} bytes`, {
    details: 'ask for fewer memories, or read the content of each one separately',
  });
}
