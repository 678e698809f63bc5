import { create } from '@bufbuild/protobuf';
import {
  type BackgroundJob,
  BackgroundJobSchema,
  BackgroundJobStatus,
  type JobAttempt,
  JobAttemptSchema,
  type ProcessingHistory,
  ProcessingHistorySchema,
} from '../../../shared/gen/service/v1/memory_pb.ts';
import { timestampFromMs } from '../../../shared/time.ts';
import type { CallContext } from '../../context.ts';
import type { CallOptions, Queryable } from '../../store/db.ts';
import { type AttemptRow, type JobRow, selectAttempts, selectLatestJobs } from '../../store/job-history.ts';
import { callerOf, hasAnyScope } from '../permission.ts';

const JOB_STATUS: Record<JobRow['status'], BackgroundJobStatus> = {
  PENDING: BackgroundJobStatus.BACKGROUND_JOB_PENDING,
  RUNNING: BackgroundJobStatus.BACKGROUND_JOB_RUNNING,
  SUCCEEDED: BackgroundJobStatus.BACKGROUND_JOB_SUCCEEDED,
  FAILED: BackgroundJobStatus.BACKGROUND_JOB_FAILED,
  CANCELED: BackgroundJobStatus.BACKGROUND_JOB_CANCELED,
};

/** What is known of the processing of these memories, by memory id. Stack traces are for callers with the ANY scope. */
export async function loadHistories(
  q: Queryable,
  memories: readonly { spaceId: string; memoryId: string }[],
  context: CallContext,
  options: CallOptions,
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
    // Says when a job that waits runs; of one that ran it says nothing.
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
