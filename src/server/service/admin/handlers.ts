import { create } from '@bufbuild/protobuf';
import { openScope } from '../../../shared/async/deadline.ts';
import { invalidFields, type Violation } from '../../../shared/errors.ts';
import {
  ActiveLicenseSchema,
  type DrainRequest,
  type DrainResponse,
  DrainResponseSchema,
  LifecycleState,
  type PurgeBackgroundJobsRequest,
  type PurgeBackgroundJobsResponse,
  PurgeBackgroundJobsResponseSchema,
  type ReloadLicenseResponse,
  ReloadLicenseResponse_Status,
  ReloadLicenseResponseSchema,
} from '../../../shared/gen/service/v1/admin_pb.ts';
import { BackgroundJobStatus } from '../../../shared/gen/service/v1/memory_pb.ts';
import { timestampFromMs, timestampToMs } from '../../../shared/time.ts';
import type { CallContext } from '../../context.ts';
import type { Lifecycle } from '../../lifecycle.ts';
import type { Db, Pool } from '../../store/db.ts';
import { type FinishedJobStatus, type PurgePosition, purgeFinishedJobs } from '../../store/job-purge.ts';
import type { Handlers } from '../handlers.ts';
import type { License } from '../license/license.ts';

interface AdminDeps {
  db: Db;
  lifecycle: Lifecycle;
  license: License;
}

type AdminHandlers = Pick<Handlers, 'drain' | 'purgeBackgroundJobs' | 'reloadLicense'>;

export function createAdminHandlers({ db, lifecycle, license }: AdminDeps): AdminHandlers {
  return {
    drain: (request, context) => drainServer(lifecycle, request, context),
    purgeBackgroundJobs: (request, context) => purgeJobs(db.background, request, context),
    reloadLicense: () => reloadLicense(license),
  };
}

async function reloadLicense(license: License): Promise<ReloadLicenseResponse> {
  const { status, message } = await license.reload();
  const { active } = license;
  return create(ReloadLicenseResponseSchema, {
    status: ReloadLicenseResponse_Status[status],
    message,
    ...(active === undefined
      ? {}
      : {
          activeLicense: create(ActiveLicenseSchema, {
            ...active,
            sizeBytes: BigInt(active.sizeBytes),
            modifiedAt: timestampFromMs(active.modifiedAt),
          }),
        }),
  });
}

const DEFAULT_TIMEOUT_S = 900;

/**
 * Drains this server and, when asked to, waits until it is QUIESCED. A time-out is an answer, not a failure; a caller
 * that disconnects ends only its own wait.
 */
async function drainServer(lifecycle: Lifecycle, request: DrainRequest, context: CallContext): Promise<DrainResponse> {
  const { reason, waitForQuiesce, timeoutSec = DEFAULT_TIMEOUT_S } = request;
  const { state, running } = lifecycle;
  context.log.info({ state, running, ...(reason === undefined ? {} : { reason }) }, 'asked to drain');
  lifecycle.drain();
  if (!waitForQuiesce) return drainResponse(lifecycle);
  const scope = openScope({ signal: context.signal, timeoutMs: timeoutSec * 1000 });
  const isQuiesced = await lifecycle.reached('QUIESCED', scope.signal).finally(() => scope.close());
  if (!isQuiesced) context.signal.throwIfAborted();
  return drainResponse(lifecycle, isQuiesced ? undefined : timeoutSec);
}

function drainResponse({ state, running }: Lifecycle, waitedSec?: number): DrainResponse {
  const quiesced = state === 'QUIESCED';
  const work = running === 1 ? '1 request or job is' : `${running} requests or jobs are`;
  const message = `${work} still running${waitedSec === undefined ? '' : ` after ${waitedSec} s`}`;
  return create(DrainResponseSchema, {
    state: LifecycleState[state],
    quiesced,
    ...(quiesced ? {} : { message }),
  });
}

const LEAST_AGE_MS = 3_600_000;
/** A batch is one transaction: its locks are held for some milliseconds. */
const BATCH = 500;

const FINISHED = new Map<BackgroundJobStatus, FinishedJobStatus>([
  [BackgroundJobStatus.BACKGROUND_JOB_SUCCEEDED, 'SUCCEEDED'],
  [BackgroundJobStatus.BACKGROUND_JOB_FAILED, 'FAILED'],
  [BackgroundJobStatus.BACKGROUND_JOB_CANCELED, 'CANCELED'],
]);

/**
 * Removes finished jobs in batches, oldest first; what a batch removed stays removed when the caller disconnects. Jobs
 * of memories that are PENDING or PROCESSING are kept.
 */
export async function purgeJobs(
  pool: Pool,
  request: PurgeBackgroundJobsRequest,
  { signal }: Pick<CallContext, 'signal'>,
): Promise<PurgeBackgroundJobsResponse> {
  const { before, statuses } = checked(request, Date.now());
  const { dryRun } = request;
  const limit = request.limit === 0n ? Number.POSITIVE_INFINITY : Number(request.limit);
  const total = { jobs: 0, attempts: 0, references: 0 };
  let after: PurgePosition | undefined;
  do {
    const size = Math.min(BATCH, limit - total.jobs);
    const batch = await purgeFinishedJobs(pool, { before, statuses, after, limit: size, dryRun }, { signal });
    total.jobs += batch.jobs;
    total.attempts += batch.attempts;
    total.references += batch.references;
    after = batch.jobs < size ? undefined : batch.last;
  } while (after !== undefined && total.jobs < limit);
  return create(PurgeBackgroundJobsResponseSchema, {
    jobsPurged: BigInt(total.jobs),
    attemptsPurged: BigInt(total.attempts),
    referencesPurged: BigInt(total.references),
    dryRun,
  });
}

function checked(
  { olderThan, statuses }: PurgeBackgroundJobsRequest,
  now: number,
): { before: Date; statuses: FinishedJobStatus[] } {
  const violations: Violation[] = [];
  const before = olderThan === undefined ? Number.NaN : timestampToMs(olderThan);
  if (!(before <= now - LEAST_AGE_MS)) violations.push({ path: 'olderThan', problem: 'must be at least one hour ago' });
  const names = new Set<FinishedJobStatus>();
  for (const [index, status] of statuses.entries()) {
    const name = FINISHED.get(status);
    if (name !== undefined) names.add(name);
    else if (status !== BackgroundJobStatus.BACKGROUND_JOB_UNSPECIFIED) {
      const problem = `must be one of ${[...FINISHED.keys()].map((known) => BackgroundJobStatus[known]).join(', ')}`;
      violations.push({ path: `statuses[${index}]`, problem });
    }
  }
  if (violations.length > 0) throw invalidFields(violations);
  return { before: new Date(before), statuses: names.size === 0 ? [...FINISHED.values()] : [...names] };
}
