import { randomBytes, randomUUID } from 'node:crypto';
import { link, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { failedPrecondition } from '../../../shared/errors.ts';
import { syncDirectory, writeDurably } from '../../files/durable-file.ts';
import type { Pool } from '../../store/db.ts';
import { FatalDatabaseError } from '../../store/errors.ts';
import { readServerState, settleServerState } from '../../store/server-state.ts';
import { parseSecretsKey, SECRETS_KEY_BYTES, secretsKeyFingerprint } from './sealing.ts';

const SECRETS_KEY_FILE = 'secrets.key';

/**
 * The key in the data directory of an embedded database; made when it is not there, unless `create` is false (a
 * database that knows a key must not get another one), which answers undefined. The file is created atomically, and two
 * processes that create one at the same time get the same key.
 */
export async function loadOrCreateSecretsKey(
  dataDir: string,
  options: { create: boolean } = { create: true },
): Promise<Buffer | undefined> {
  const file = join(dataDir, SECRETS_KEY_FILE);
  const known = await readKey(file);
  if (known !== undefined || !options.create) return known;
  const draft = `${file}.${randomUUID()}`;
  try {
    await writeDurably(draft, `${randomBytes(SECRETS_KEY_BYTES).toString('base64')}\n`);
    // Unlike a rename, a link does not replace what another process made meanwhile.
    await link(draft, file).catch((error: unknown) => {
      if (!hasCode(error, 'EEXIST')) throw error;
    });
    await unlink(draft);
    await syncDirectory(dataDir);
  } catch (cause) {
    await unlink(draft).catch(() => undefined);
    throw failedPrecondition(`The secrets key ${file} cannot be created`, { cause });
  }
  return readKey(file);
}

async function readKey(file: string): Promise<Buffer | undefined> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (cause) {
    if (hasCode(cause, 'ENOENT')) return undefined;
    throw failedPrecondition(`The secrets key ${file} cannot be read`, { cause });
  }
  const key = parseSecretsKey(text);
  if (key === undefined) {
    throw failedPrecondition(`The secrets key ${file} is not ${SECRETS_KEY_BYTES} bytes in base64`);
  }
  return key;
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

const STATE = 'secrets_key_fingerprint';

interface SecretsKeySource {
  /** `--secrets-key`. */
  given: Uint8Array | undefined;
  /** Where a key may be kept and, on an embedded database that knows none yet, made; undefined on an external one. */
  dataDir: string | undefined;
}

/**
 * The key that seals stored credentials, or undefined where there is none. The database stores the fingerprint of the
 * first key, so that a server with another key stops before it seals anything. Throws FatalDatabaseError.
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
