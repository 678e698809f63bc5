import { setMaxListeners } from 'node:events';
import { create } from '@bufbuild/protobuf';
import { withTimeout } from '../../../../shared/async/abort.ts';
import { ServiceError } from '../../../../shared/errors.ts';
import {
  type DiagnoseResponse,
  DiagnoseResponseSchema,
  DiagnosisCheck_Status,
  DiagnosisCheckSchema,
} from '../../../../shared/gen/service/v1/system_pb.ts';
import type { CallContext } from '../../../context.ts';
import type { Db } from '../../../store/db.ts';
import {
  selectDatabaseClock,
  selectDatabaseFacts,
  selectIndexFacts,
  selectJobFacts,
} from '../../../store/diagnosis.ts';
import { withinBounds } from '../../../store/waiting.ts';
import { type CertificateFacts, judgeCertificate } from './certificate.ts';
import { judgeClock, judgeDatabaseVersion, judgeExtension, judgeIndexes } from './database.ts';
import { checkDataDirectory, describeDatabaseSize } from './disk.ts';
import { checkEmbedders, type EmbedderCheckDeps } from './embedders.ts';
import { type Finding, fail } from './finding.ts';
import { JOB_BOUNDS, judgeJobs } from './jobs.ts';

export interface DiagnosisDeps extends Omit<EmbedderCheckDeps, 'pool'> {
  db: Db;
  /** Undefined when no endpoint speaks TLS. */
  certificate: CertificateFacts | undefined;
  /** Undefined with an external database. */
  dataDir: string | undefined;
}

/** Of the whole diagnosis: a check that takes longer says so instead of holding up the others. */
const LIMIT_MS = 5000;

type Check = (signal: AbortSignal) => Promise<Finding>;

/** All checks at the same time, in the order in which they are shown. Only a caller that leaves makes it fail. */
export async function diagnose(deps: DiagnosisDeps, context: CallContext): Promise<DiagnoseResponse> {
  const signal = withTimeout(context.signal, LIMIT_MS);
  // Each query and each probe listens; that many listeners are no leak.
  setMaxListeners(0, signal);
  const checks = Object.entries(checksOf(deps, signal)).map(async ([name, check]) => {
    const { status, ...finding } = await run(name, check, signal, context);
    return create(DiagnosisCheckSchema, { name, ...finding, status: DiagnosisCheck_Status[status] });
  });
  return create(DiagnoseResponseSchema, { checks: await Promise.all(checks) });
}

function checksOf(deps: DiagnosisDeps, signal: AbortSignal): Record<string, Check> {
  const { db, certificate, dataDir } = deps;
  const pool = db.main;
  const facts = selectDatabaseFacts(pool, { signal });
  // Awaited by the checks below; a failure is told by each of them.
  facts.catch(() => undefined);
  return {
    database_version: async () => judgeDatabaseVersion(await facts),
    extension_version: async () => judgeExtension(await facts, db.capabilities.embedded),
    indexes: async () => judgeIndexes(await selectIndexFacts(pool, { signal })),
    embedders: () => checkEmbedders({ ...deps, pool }, signal),
    clock_skew: () => checkClock(db, signal),
    tls_expiry: async () => judgeCertificate(certificate, Date.now()),
    disk: async () =>
      dataDir === undefined ? describeDatabaseSize((await facts).sizeBytes) : checkDataDirectory(dataDir),
    jobs: async () => judgeJobs(await selectJobFacts(pool, JOB_BOUNDS, { signal })),
  };
}

async function checkClock({ main }: Db, signal: AbortSignal): Promise<Finding> {
  const askedAt = Date.now();
  const databaseMs = await selectDatabaseClock(main, { signal });
  return judgeClock(databaseMs, askedAt, Date.now());
}

async function run(name: string, check: Check, signal: AbortSignal, context: CallContext): Promise<Finding> {
  try {
    return await withinBounds(check(signal), { signal }, () => undefined);
  } catch (error) {
    context.signal.throwIfAborted();
    context.log.warn({ err: error, check: name }, 'a check of the diagnosis failed');
    const reason = error instanceof ServiceError ? error.message : 'see the log of the server';
    return fail(
      `The check could not be completed: ${reason}`,
      'Run the diagnosis again; the log of the server says more',
    );
  }
}
