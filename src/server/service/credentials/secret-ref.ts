import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { ProviderError } from '../../providers/errors.ts';

/** Tokens are far shorter; a path that names a log or a device must not be read to its end. */
const MAX_FILE_BYTES = 65_536;
const ENV_URI = /^env:\/\/([A-Za-z_][A-Za-z0-9_]*)$/;

/** What is wrong with the `uri` of a secret reference; undefined when it can be stored. */
export function secretRefProblem(uri: string): string | undefined {
  if (ENV_URI.test(uri)) return undefined;
  if (filePath(uri) !== undefined) return undefined;
  return 'must be env://NAME or file:///path';
}

/** Reads the secret as it is now. Rejects with a `ProviderError` (`configuration`) that names the reference only. */
export async function readSecretRef(
  uri: string,
  options: { signal: AbortSignal; env: Readonly<Record<string, string | undefined>> },
): Promise<string> {
  options.signal.throwIfAborted();
  const name = ENV_URI.exec(uri)?.[1];
  const path = filePath(uri);
  let secret: string | undefined;
  if (name !== undefined) secret = options.env[name];
  else if (path !== undefined) secret = await readBoundedFile(path, uri);
  if (secret === undefined || secret === '') {
    throw new ProviderError('configuration', `The secret ${uri} is missing or empty`);
  }
  return secret;
}

function filePath(uri: string): string | undefined {
  if (!uri.startsWith('file:///') || !URL.canParse(uri)) return undefined;
  const url = new URL(uri);
  if (url.search !== '' || url.hash !== '' || url.pathname === '/') return undefined;
  try {
    const path = fileURLToPath(url);
    return path.includes('\0') ? undefined : path;
  } catch {
    // An encoded slash.
    return undefined;
  }
}

async function readBoundedFile(path: string, uri: string): Promise<string> {
  let text: string;
  try {
    // Opening a pipe without a writer would block forever.
    const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stat = await handle.stat();
      if (!stat.isFile() || stat.size > MAX_FILE_BYTES) {
        throw new ProviderError('configuration', `The secret ${uri} is not a file of at most ${MAX_FILE_BYTES} bytes`);
      }
      text = await handle.readFile('utf8');
    } finally {
      await handle.close();
    }
  } catch (cause) {
    if (cause instanceof ProviderError) throw cause;
    throw new ProviderError('configuration', `The secret ${uri} cannot be read`, { cause });
  }
  return text.replace(/\r?\n$/, '');
}
