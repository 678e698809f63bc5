import { setMaxListeners } from 'node:events';
import { create } from '@bufbuild/protobuf';
import { withTimeout } from '../../../../shared/async/deadline.ts';
import { ServiceError } from '../../../../shared/errors.ts';
import {
  type DiagnoseResponse,
  DiagnoseResponseSchema,
  DiagnosisCheck_Status,
  DiagnosisCheckSchema,
} from '../../../../shared/gen/service/v1/system_pb.ts';
import type { CallContext } from '../../../context.ts';
import type { Db, Queryable } from '../../../store/db.ts';
import {
  selectDatabaseClock,
  selectDatabaseFacts,
  selectIndexFacts,
  selectJobFacts,
} from '../../../store/diagnosis.ts';
import { type EmbedderToProbe, selectEmbeddersToProbe } from '../../../store/embedders.ts';
import { withinBounds } from '../../../store/waiting.ts';
import { embedderKind } from '../../targets/kinds.ts';
import type { TargetOpener } from '../../targets/open-target.ts';
import {
  type CertificateFacts,
  checkDataDirectory,
  describeDatabaseSize,
  type Finding,
  fail,
  fine,
  JOB_BOUNDS,
  judgeCertificate,
  judgeClock,
  judgeDatabaseVersion,
  judgeExtension,
  judgeIndexes,
  judgeJobs,
  listed,
  warn,
} from './findings.ts';

export interface DiagnosisDeps extends Omit<EmbedderCheckDeps, 'pool'> {
  db: Db;
  /** Undefined when no endpoint speaks TLS. */
  certificate: CertificateFacts | undefined;
  /** Undefined with an external database. */
  dataDir: string | undefined;
}

/** The time limit of the whole diagnosis: a check that takes longer reports that and does not delay the others. */
const LIMIT_MS = 5000;

type Check = (signal: AbortSignal) => Promise<Finding>;

/** All checks at the same time, in the order in which they are shown. Fails only when the caller disconnects. */
export async function diagnose(deps: DiagnosisDeps, context: CallContext): Promise<DiagnoseResponse> {
  // The embedders are called next, which a deleted key must not cause.
  await context.premise?.settle(context.signal);
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
  // Awaited by the checks below, each of which reports a failure.
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
    return await withinBounds(check(signal), { signal });
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

/** The most embedders that are probed; larger installations monitor their embedders themselves. */
const MOST = 20;
const TIMEOUT_MS = 3000;
const PAYLOAD = 'ping';

interface EmbedderCheckDeps {
  pool: Queryable;
  targets: Pick<TargetOpener, 'ofRow'>;
}

/** Asks embedders for one vector each, all at the same time; those that spaces use come first. */
async function checkEmbedders(deps: EmbedderCheckDeps, signal: AbortSignal): Promise<Finding> {
  const embedders = await selectEmbeddersToProbe(deps.pool, MOST, { signal });
  const reasons = await Promise.all(embedders.map((embedder) => failureOf(deps, embedder, signal)));
  const failed = embedders.flatMap((embedder, index) => {
    const reason = reasons[index];
    return reason === undefined ? [] : [{ ...embedder, reason }];
  });
  const total = embedders[0]?.total ?? 0;
  const asked = total > embedders.length ? `${embedders.length} of ${total} embedders were checked` : undefined;
  return judgeEmbedders(embedders.length, failed, asked);
}

/** Why an embedder gives no vectors; undefined when it does. */
async function failureOf(
  { targets }: EmbedderCheckDeps,
  embedder: EmbedderToProbe,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const client = targets.ofRow(embedderKind, embedder).client();
    const outcome = await client.probe(PAYLOAD, { signal, timeoutMs: TIMEOUT_MS });
    return outcome.ok ? undefined : (outcome.errorMessage ?? 'no reason is known');
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ServiceError)) throw error;
    return error.message;
  }
}

interface FailedEmbedder {
  id: string;
  displayName: string;
  isUsed: boolean;
  reason: string;
}

function judgeEmbedders(count: number, failed: readonly FailedEmbedder[], asked: string | undefined): Finding {
  const [first] = failed;
  const note = asked === undefined ? '' : `; ${asked}`;
  if (first === undefined) return fine(`${answering(count)}${note}`);
  const names = failed.map(({ displayName, reason }) => `${displayName} (${reason})`);
  const who =
    count === 1
      ? 'The embedder returns'
      : `${failed.length} of ${count} embedders ${failed.length === 1 ? 'returns' : 'return'}`;
  const message = `${who} no vectors: ${listed(names)}${note}`;
  const remedy = `Check the address and the credentials of the embedder, then run: svc ping ${first.id}`;
  return failed.some(({ isUsed }) => isUsed) ? fail(message, remedy) : warn(message, remedy);
}

function answering(count: number): string {
  if (count === 0) return 'There are no embedders';
  return count === 1 ? 'The embedder answers' : `All ${count} embedders answer`;
}
