import type { Caller } from '../context.ts';
import type { Logger } from '../log.ts';
import { recordKeyUse, selectUsableKey } from '../store/api-keys.ts';
import type { Db } from '../store/db.ts';
import { isKeyShaped, keyHashes } from './api-keys/raw-key.ts';

/** Undefined for every key that is not usable, whatever the reason. */
export type Authenticate = (rawKey: string, signal: AbortSignal) => Promise<Caller | undefined>;

const RECORD_TIMEOUT_MS = 5000;
/** After a failed write, e.g. on a read-only standby, the next try waits as long as the interval between writes. */
const RETRY_AFTER_MS = 60_000;

/**
 * One indexed look-up per request and no cache: a key that is deleted, deactivated or expired stops at once on every
 * server that shares the database.
 */
export function createAuthenticator({ db, log }: { db: Db; log: Logger }): Authenticate {
  const recordUse = createUseRecorder(db, log);
  return async (rawKey, signal) => {
    if (!isKeyShaped(rawKey)) return undefined;
    const key = await selectUsableKey(db.main, keyHashes(rawKey), { signal });
    if (key === undefined) return undefined;
    if (key.isUseDue) recordUse(key.apiKeyId);
    return {
      userId: key.userId,
      apiKeyId: key.apiKeyId,
      role: key.role,
      readOnly: key.readOnly === true,
      spaceIds: key.spaceIds === null ? undefined : new Set(key.spaceIds),
    };
  };
}

/** Records the use of a key in the background: the request neither waits for it nor fails with it. */
function createUseRecorder(db: Db, log: Logger): (apiKeyId: string) => void {
  const underWay = new Set<string>();
  let pausedUntil = 0;
  return (apiKeyId) => {
    if (underWay.has(apiKeyId) || Date.now() < pausedUntil) return;
    underWay.add(apiKeyId);
    recordKeyUse(db.background, apiKeyId, { timeoutMs: RECORD_TIMEOUT_MS })
      .catch((err: unknown) => {
        pausedUntil = Date.now() + RETRY_AFTER_MS;
        log.debug({ err }, 'The last use of an API key could not be written');
      })
      .finally(() => underWay.delete(apiKeyId));
  };
}
