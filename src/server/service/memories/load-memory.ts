import { create } from '@bufbuild/protobuf';
import { notFound, ServiceError } from '../../../shared/errors.ts';
import {
  type BackgroundJob,
  BackgroundJobSchema,
  BackgroundJobStatus,
  type JobAttempt,
  JobAttemptSchema,
  type Memory,
  type ProcessingHistory,
  ProcessingHistorySchema,
} from '../../../shared/gen/service/v1/memory_pb.ts';
import { timestampFromMs } from '../../../shared/time.ts';
import type { CallContext, Permission } from '../../context.ts';
import type { Queryable, StatementOptions } from '../../store/db.ts';
import { type AttemptRow, type JobRow, selectAttempts, selectLatestJobs } from '../../store/job-history.ts';
import { type OwnedMemoryRow, selectMemories } from '../../store/memories.ts';
import type { MemoryRow } from '../../store/memory-row.ts';
import { callerOf, guarded, hasAnyScope, requireInSpace } from '../permission.ts';
import { wholeContent } from './content-source.ts';
import type { MemoryDeps } from './deps.ts';
import { memoryMessage } from './memory-message.ts';

/** Loads a memory and checks the permission of the caller. Throws NOT_FOUND and PERMISSION_DENIED. */
export async function loadMemory(
  deps: Pick<MemoryDeps, 'db'>,
  memoryId: string,
  permission: Permission,
  context: CallContext,
): Promise<OwnedMemoryRow> {
  const [memory] = await selectMemories(deps.db.main, [memoryId], guarded(context));
  if (memory === undefined) throw notFound('Memory', memoryId);
  requireInSpace(context, permission, memory);
  return memory;
}

interface RecordOptions {
  includeContent: boolean;
  includeProcessingHistory: boolean;
}

/**
 * The records of memories, in the same order, with the parts that were requested. All contents of one response together
 * may be as large as the largest single content; beyond that, `tooLarge` decides what replaces a record.
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

const JOB_STATUS: Record<JobRow['status'], BackgroundJobStatus> = {
  PENDING: BackgroundJobStatus.BACKGROUND_JOB_PENDING,
  RUNNING: BackgroundJobStatus.BACKGROUND_JOB_RUNNING,
  SUCCEEDED: BackgroundJobStatus.BACKGROUND_JOB_SUCCEEDED,
  FAILED: BackgroundJobStatus.BACKGROUND_JOB_FAILED,
  CANCELED: BackgroundJobStatus.BACKGROUND_JOB_CANCELED,
};

/** The processing histories of these memories, by memory id. Stack traces are only for callers with the ANY scope. */
async function loadHistories(
  q: Queryable,
  memories: readonly { spaceId: string; memoryId: string }[],
  context: CallContext,
  options: StatementOptions,
): Promise<Map<string, ProcessingHistory>> {
  const [jobs, attempts] = await Promise.all([
    selectLatestJobs(q, memories, options),
    selectAttempts(q, memories, options),
  ]);
  const withStack = hasAnyScope(callerOf(context));
  const histories = new Map(memories.map(({ memoryId }) => [memoryId, create(ProcessingHistorySchema)]));
  for (const job of jobs) {
    const history = histories.get(job.memoryId);
    if (history !== undefined) history.latestJob = jobMessage(job);
  }
  for (const attempt of attempts) histories.get(attempt.memoryId)?.attempts.push(attemptMessage(attempt, withStack));
  return histories;
}

function jobMessage(job: JobRow): BackgroundJob {
  return create(BackgroundJobSchema, {
    jobId: BigInt(job.jobId),
    jobType: job.jobType,
    status: JOB_STATUS[job.status],
    attempts: job.attempts,
    maxAttempts: job.maxAttempts,
    updatedAt: timestampFromMs(job.updatedAt),
    // The scheduled time of a PENDING job; it has no meaning for a job that has run.
    ...(job.status === 'PENDING' ? { runAt: timestampFromMs(job.runAt) } : {}),
    ...(job.leaseUntil === null ? {} : { leaseUntil: timestampFromMs(job.leaseUntil) }),
    ...(job.lockedBy === null ? {} : { lockedBy: job.lockedBy }),
    ...(job.lastError === null ? {} : { lastError: job.lastError }),
  });
}

function attemptMessage(attempt: AttemptRow, withStack: boolean): JobAttempt {
  const { finishedAt, progressTotal, progressUpdatedAt } = attempt;
  return create(JobAttemptSchema, {
    attemptId: BigInt(attempt.attemptId),
    jobId: BigInt(attempt.jobId),
    startedAt: timestampFromMs(attempt.startedAt),
    workerId: attempt.workerId,
    progressCurrent: BigInt(attempt.progressCurrent),
    ...(finishedAt === null ? {} : { finishedAt: timestampFromMs(finishedAt) }),
    ...(attempt.ok === null ? {} : { ok: attempt.ok }),
    ...(attempt.statusMessage === null ? {} : { statusMessage: attempt.statusMessage }),
    ...(progressTotal === null ? {} : { progressTotal: BigInt(progressTotal) }),
    ...(attempt.progressUnit === null ? {} : { progressUnit: attempt.progressUnit }),
    ...(progressUpdatedAt === null ? {} : { progressUpdatedAt: timestampFromMs(progressUpdatedAt) }),
    ...(attempt.errorMessage === null ? {} : { errorMessage: attempt.errorMessage }),
    ...(attempt.errorStacktrace === null || !withStack ? {} : { errorStacktrace: attempt.errorStacktrace }),
  });
}
