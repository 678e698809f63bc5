import type { Pool } from '../store/db.ts';
import { FatalDatabaseError } from '../store/errors.ts';
import { readServerState, settleServerState } from '../store/server-state.ts';
import { loadOrCreateSecretsKey } from './credentials/key-file.ts';
import { secretsKeyFingerprint } from './credentials/sealing.ts';

const STATE = 'secrets_key_fingerprint';

export interface SecretsKeySource {
  /** `--secrets-key`. */
  given: Uint8Array | undefined;
  /** Where a key may be kept and, on an embedded database that knows none yet, made; undefined on an external one. */
  dataDir: string | undefined;
}

/**
 * The key that seals stored credentials, or undefined where there is none. The database remembers the fingerprint of the
 * first key, so that a server with another one is stopped before it seals anything. Throws FatalDatabaseError.
 */
export async function settleSecretsKey(
  pool: Pool,
  { given, dataDir }: SecretsKeySource,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> {
  const known = await readServerState(pool, STATE, { signal });
  const create = known === undefined;
  const key = given ?? (dataDir === undefined ? undefined : await loadOrCreateSecretsKey(dataDir, { create }));
  if (key === undefined) return undefined;
  const fingerprint = secretsKeyFingerprint(key);
  if ((await settleServerState(pool, STATE, fingerprint, { signal })) !== fingerprint) {
    throw new FatalDatabaseError(
      'The secrets key is not the one that encrypted the credentials in this database.',
      'Start with the key that was used before (--secrets-key).',
    );
  }
  return key;
}
