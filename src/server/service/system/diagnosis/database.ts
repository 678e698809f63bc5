import type { DatabaseFacts, IndexFacts } from '../../../store/diagnosis.ts';
import { parallelBuildIsSafe } from '../../../store/probe.ts';
import { type Finding, fail, fine, warn } from './finding.ts';

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

/** A vector index is built anew by the server; a broken index of any other kind does not mend itself. */
export function judgeIndexes({ total, invalid }: IndexFacts): Finding {
  if (invalid.length === 0) return fine(total === 1 ? '1 index is valid' : `All ${total} indexes are valid`);
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
  const remedy = 'Synchronise the clocks of both machines, for example with chrony';
  return skewMs < SKEW_FAIL_MS ? warn(message, remedy) : fail(message, remedy);
}

export function listed(names: readonly string[]): string {
  const more = names.length - LISTED;
  const shown = names.slice(0, LISTED).join(', ');
  return more > 0 ? `${shown} and ${more} more` : shown;
}
