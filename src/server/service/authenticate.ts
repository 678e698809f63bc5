import type { Caller, Premise } from '../context.ts';
import type { Logger } from '../log.ts';
import { recordKeyUse, selectUsableKey } from '../store/api-keys.ts';
import type { Db } from '../store/db.ts';
import { SelectGuard } from '../store/guards.ts';
import { isKeyShaped, keyHash, keyHashes } from './api-keys/raw-key.ts';
import { Learned } from './learned.ts';

/** Tells callers by their raw keys. */
export interface Authenticator {
  /** Looks the key up. Undefined for every key that is not usable, whatever the reason. */
  authenticate(rawKey: string, signal: AbortSignal): Promise<Caller | undefined>;
  /** The caller as an earlier call found the key, for a call that proves with its first read that this is still so. */
  recall(rawKey: string): { caller: Caller; premise: Premise } | undefined;
}

const RECORD_TIMEOUT_MS = 5000;
/** After a failed write, e.g. on a read-only standby, the next try waits as long as the interval between writes. */
const RETRY_AFTER_MS = 60_000;

/** Keys that are remembered, at less than a kilobyte each, or ten when they are bound to a hundred spaces. */
const MAX_KEYS = 5000;

interface LearnedKey {
  caller: Caller;
  version: string;
}

/**
 * What is remembered of a key saves its look-up, and decides nothing by itself: a key that is deleted, deactivated, expired
 * or restricted otherwise counts so in the next call on every server that shares the database.
 */
export function createAuthenticator({ db, log }: { db: Db; log: Logger }): Authenticator {
  const recordUse = createUseRecorder(db, log);
  const learned = new Learned<LearnedKey>(MAX_KEYS);
  const authenticate: Authenticator['authenticate'] = async (rawKey, signal) => {
    if (!isKeyShaped(rawKey)) return undefined;
    const hashes = keyHashes(rawKey);
    const name = nameOf(hashes[0]);
    const key = await selectUsableKey(db.main, hashes, { signal });
    if (key === undefined) {
      learned.delete(name);
      return undefined;
    }
    if (key.isUseDue) recordUse(key.apiKeyId);
    const caller = {
      userId: key.userId,
      apiKeyId: key.apiKeyId,
      role: key.role,
      readOnly: key.readOnly === true,
      spaceIds: key.spaceIds === null ? undefined : new Set(key.spaceIds),
    };
    learned.set(name, { caller, version: key.version });
    return caller;
  };
  return {
    authenticate,
    recall(rawKey) {
      const key = isKeyShaped(rawKey) ? learned.get(nameOf(keyHash(rawKey, false))) : undefined;
      if (key === undefined) return undefined;
      const renew = (signal: AbortSignal) => authenticate(rawKey, signal);
      return { caller: key.caller, premise: new KeyPremise(db, key, { renew, recordUse }) };
    },
  };
}

function nameOf(hash: Buffer): string {
  return hash.toString('base64');
}

interface KeyActions {
  renew: Premise['renew'];
  recordUse: (apiKeyId: string) => void;
}

class KeyPremise implements Premise {
  readonly renew: Premise['renew'];
  readonly #db: Db;
  #guard: SelectGuard | undefined;

  constructor(db: Db, { caller: { apiKeyId }, version }: LearnedKey, { renew, recordUse }: KeyActions) {
    this.renew = renew;
    this.#db = db;
    this.#guard = new SelectGuard({ key: { apiKeyId, version } }, ({ isUseDue }) => {
      this.#guard = undefined;
      if (isUseDue) recordUse(apiKeyId);
    });
  }

  get guard(): SelectGuard | undefined {
    return this.#guard;
  }

  async settle(signal: AbortSignal): Promise<void> {
    if (this.#guard !== undefined) await this.#guard.ask(this.#db.main, { signal });
  }
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
