import { randomBytes, randomUUID } from 'node:crypto';
import { link, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { failedPrecondition } from '../../../shared/errors.ts';
import { syncDirectory, writeDurably } from '../../files/durable-file.ts';
import { parseSecretsKey, SECRETS_KEY_BYTES } from './sealing.ts';

const SECRETS_KEY_FILE = 'secrets.key';

/**
 * The key in the data directory of an embedded database; made when it is not there, unless `create` is false (a
 * database that knows a key must not get another one), which answers undefined. The file appears whole or not at all,
 * and of two processes that make one, both get the same.
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
