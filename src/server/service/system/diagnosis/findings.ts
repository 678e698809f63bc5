import { statfs } from 'node:fs/promises';
import { truncateCodePoints } from '../../../../shared/text.ts';
import { DAY_MS, relativeTime } from '../../../../shared/time.ts';
import type { DatabaseFacts, IndexFacts, JobFacts } from '../../../store/diagnosis.ts';
import { parallelBuildIsSafe } from '../../../store/probe.ts';

/** What a check found. */
export interface Finding {
  status: 'OK' | 'WARN' | 'FAIL';
  /** A sentence without its full stop. */
  message: string;
  /** What to do; "" with OK, and only then. */
  remedy: string;
}

export function fine(message: string): Finding {
  return { status: 'OK', message, remedy: '' };
}

export function warn(message: string, remedy: string): Finding {
  return { status: 'WARN', message, remedy };
}

export function fail(message: string, remedy: string): Finding {
  return { status: 'FAIL', message, remedy };
}

/** The certificate that this server shows. */
export interface CertificateFacts {
  /** Made by the server. */
  selfSigned: boolean;
  expiresAt: Date;
}

/**
 * The remaining validity at which a certificate should be replaced. The server replaces its own at a start from then
 * on.
 */
export const CERTIFICATE_ENDS_SOON_MS = 30 * DAY_MS;

/** Undefined: no endpoint speaks TLS. `now` is in epoch milliseconds. */
export function judgeCertificate(certificate: CertificateFacts | undefined, now: number): Finding {
  if (certificate === undefined) return fine('TLS is off');
  const { selfSigned, expiresAt } = certificate;
  const leftMs = expiresAt.getTime() - now;
  const name = selfSigned ? 'The self-signed certificate' : 'The certificate';
  const remedy = selfSigned
    ? 'Restart the server: it then makes a new certificate'
    : 'Replace the files of --tls-cert-file and --tls-key-file, then restart';
  const when = relativeTime(expiresAt, now);
  if (leftMs <= 0) return fail(`${name} expired ${when}`, remedy);
  if (leftMs <= CERTIFICATE_ENDS_SOON_MS) return warn(`${name} expires ${when}`, remedy);
  return fine(`${name} expires ${when}`);
}

/** Names listed in a message; more are counted. */
const LISTED = 3;

const SKEW_WARN_MS = 2000;
/** Leases and expiry dates are off by as much. */
const SKEW_FAIL_MS = 60_000;

/** Older versions are refused when the server starts. */
export function judgeDatabaseVersion({ version, isStandby }: DatabaseFacts): Finding {
  if (!isStandby) return fine(`PostgreSQL ${version}`);
  const remedy = 'Give the URL of the primary in --db-url, or wait until the failover has finished';
  return fail(`PostgreSQL ${version} is a standby, which accepts no writes`, remedy);
}

/** `isEmbedded`: the engine has no parallel builds at all. */
export function judgeExtension({ vectorVersion, vectorAvailable }: DatabaseFacts, isEmbedded: boolean): Finding {
  if (vectorVersion !== vectorAvailable) {
    const message = `vector ${vectorVersion} is in use, and the database server has ${vectorAvailable}`;
    return warn(message, 'Run in the database: alter extension vector update;');
  }
  if (isEmbedded || parallelBuildIsSafe(vectorVersion)) return fine(`vector ${vectorVersion}`);
  const reason = 'parallel builds of this version can overflow a buffer (CVE-2026-3172)';
  return fine(`vector ${vectorVersion}; indexes are built serially, because ${reason}`);
}

/** The server rebuilds vector indexes; a broken index of any other kind needs an administrator. */
export function judgeIndexes({ total, invalid, unfinished }: IndexFacts): Finding {
  if (invalid.length === 0) {
    const built = unfinished === 0 ? '' : `; of large spaces, ${unfinished} more being built or merged`;
    return fine(`${total === 1 ? '1 index is valid' : `All ${total} indexes are valid`}${built}`);
  }
  const broken = invalid.filter(({ method }) => method !== 'hnsw').map(({ name }) => name);
  if (broken.length > 0) {
    return fail(
      `Invalid indexes: ${listed(broken)}`,
      `Run in the database: reindex index concurrently "${broken[0]}";`,
    );
  }
  const remedy = 'Leave a server running: it rebuilds them; until then searches of those spaces are exact but slower';
  return warn(`Invalid vector indexes: ${listed(invalid.map(({ name }) => name))}`, remedy);
}

/** `askedAt` and `answeredAt` are our clock around the moment at which the database looked at its own. */
export function judgeClock(databaseMs: number, askedAt: number, answeredAt: number): Finding {
  const middle = (askedAt + answeredAt) / 2;
  // Where in the round trip the database looked is not known: what it may explain is no skew.
  const skewMs = Math.max(0, Math.abs(databaseMs - middle) - (answeredAt - askedAt) / 2);
  if (skewMs < SKEW_WARN_MS) return fine('The clocks of the server and its database agree');
  const direction = databaseMs > middle ? 'ahead of' : 'behind';
  const message = `The clock of the database is ${Math.round(skewMs / 1000)} s ${direction} that of the server`;
  const remedy = 'Synchronize the clocks of both machines, for example with chrony';
  return skewMs < SKEW_FAIL_MS ? warn(message, remedy) : fail(message, remedy);
}

export function listed(names: readonly string[]): string {
  const more = names.length - LISTED;
  const shown = names.slice(0, LISTED).join(', ');
  return more > 0 ? `${shown} and ${more} more` : shown;
}

const MIB = 1_048_576;
const SCARCE_BYTES = 2048 * MIB;
/** A checkpoint of the embedded database and a large upload together may need as much. */
const EXHAUSTED_BYTES = 256 * MIB;

/** The room that is left for the embedded database. */
export async function checkDataDirectory(dataDir: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(dataDir);
  return judgeFreeSpace(bavail * bsize, dataDir);
}

export function judgeFreeSpace(freeBytes: number, dataDir: string): Finding {
  const message = `${sizeText(freeBytes)} are free on the disk of the data directory ${dataDir}`;
  const remedy = 'Free some space on that disk, or move the data directory to a larger one (--data-dir)';
  if (freeBytes < EXHAUSTED_BYTES) return fail(message, remedy);
  return freeBytes < SCARCE_BYTES ? warn(message, remedy) : fine(message);
}

/** A database server reports the size of a database, but not the free space. */
export function describeDatabaseSize(sizeBytes: number): Finding {
  return fine(`The database takes ${sizeText(sizeBytes)}; the free space on its server cannot be seen from here`);
}

function sizeText(bytes: number): string {
  const mib = bytes / MIB;
  return mib < 1024 ? `${Math.round(mib)} MiB` : `${(mib / 1024).toFixed(1)} GiB`;
}

/** Any idle worker takes over a job within a second of the end of its lease. */
export const JOB_BOUNDS = { stuckMs: 300_000, failedWithinMs: DAY_MS };
const WAITING_LONG_MS = 900_000;
const REASON_CHARACTERS = 300;

/** A job that is stuck counts more than one that waits, and that more than memories that have failed. */
export function judgeJobs(facts: JobFacts): Finding {
  const { stuck, waitingMs, failed } = facts;
  if (stuck > 0) {
    const jobs = stuck === 1 ? '1 job has lost its worker and has' : `${stuck} jobs have lost their workers and have`;
    return fail(
      `${jobs} not been taken over for more than ${JOB_BOUNDS.stuckMs / 60_000} minutes${failed > 0 ? `; ${failedText(facts)}` : ''}`,
      'Start a server that is not draining, or raise --worker-parallelism if all workers are busy',
    );
  }
  if (waitingMs > WAITING_LONG_MS) {
    const message = `The oldest job that is due has waited for ${Math.round(waitingMs / 60_000)} minutes`;
    return warn(
      failed > 0 ? `${message}; ${failedText(facts)}` : message,
      'Start another server on this database, or raise --worker-parallelism',
    );
  }
  if (failed > 0) {
    return warn(
      `No job is stuck; ${failedText(facts)}`,
      'Fix the cause, then process the memories again: svc memories list SPACE --status FAILED, svc memories reprocess ID',
    );
  }
  return fine('No job is stuck');
}

/** Half a sentence about the memories that failed in the last day and their commonest reason. */
function failedText({ failed, failureReason, failedAlike }: JobFacts): string {
  const memories = failed === 1 ? '1 memory has' : `${failed} memories have`;
  const shown = truncateCodePoints(failureReason ?? 'unknown reason', REASON_CHARACTERS);
  const most = failed === failedAlike ? '' : `${failedAlike} of them `;
  return `${memories} FAILED in the last 24 hours, ${most}with: ${shown}`;
}
