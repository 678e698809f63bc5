import { randomUUID } from 'node:crypto';
import { chmod, type FileHandle, mkdir, open, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { platform } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { sleep } from '../../../shared/async/timer.ts';
import { ConfigurationError, writeReason } from '../errors.ts';
import type { Environment } from '../output/io.ts';
import { type Config, configText, EMPTY_CONFIG, parseConfig } from './config.ts';

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
const OTHERS_MAY_READ = 0o044;

/** Where the config file belongs, and what decided about it. */
export interface ConfigPlace {
  path: string;
  /** `environment XDG_CONFIG_HOME` or `default`. */
  source: string;
}

/** Undefined where there is neither XDG_CONFIG_HOME nor a home: such a machine has no config file. */
export function configPlace({ XDG_CONFIG_HOME, HOME, USERPROFILE }: Environment): ConfigPlace | undefined {
  // The XDG specification has relative paths ignored.
  if (XDG_CONFIG_HOME !== undefined && isAbsolute(XDG_CONFIG_HOME))
    return { path: join(XDG_CONFIG_HOME, 'svc', 'config.json'), source: 'environment XDG_CONFIG_HOME' };
  const home = HOME || USERPROFILE;
  if (home === undefined || home === '') return undefined;
  return { path: join(home, '.config', 'svc', 'config.json'), source: 'default' };
}

export interface ReadConfig {
  config: Config;
  exists: boolean;
  /** The file's mode lets other users of the machine read the keys in it. */
  isOpenToOthers: boolean;
}

const NOTHING: ReadConfig = { config: EMPTY_CONFIG, exists: false, isOpenToOthers: false };

/** @throws ConfigurationError when there is a file that cannot be read or makes no sense. */
export async function readConfig(path: string): Promise<ReadConfig> {
  let text: string;
  let mode: number;
  try {
    text = await readFile(path, 'utf8');
    ({ mode } = await stat(path));
  } catch (error) {
    // HOME=/dev/null stands for no home.
    if (isCode(error, 'ENOENT', 'ENOTDIR')) return NOTHING;
    throw new ConfigurationError(`Cannot read the config file ${path}`, {
      details: writeReason(error),
      next: `Make it readable for this user: chmod 600 ${path}`,
      cause: error,
    });
  }
  try {
    const isOpenToOthers = platform() !== 'win32' && (mode & OTHERS_MAY_READ) !== 0;
    return { config: parseConfig(text), exists: true, isOpenToOthers };
  } catch (error) {
    throw new ConfigurationError(`The config file ${path} is not valid`, {
      details: writeReason(error),
      next: 'Correct it, or move it away and make the profiles again: svc profile create NAME',
      cause: error,
    });
  }
}

/**
 * Changes the file: reads it, applies the change and writes it, while no other process does. What another process has
 * written before is in what `change` is given, so nothing of it is lost.
 *
 * @throws ConfigurationError when the file cannot be written; what `change` throws passes through.
 */
export async function updateConfig(
  path: string,
  change: (config: Config) => Config,
  signal: AbortSignal,
): Promise<Config> {
  const held = await lock(path, signal);
  try {
    const { config } = await readConfig(path);
    const changed = change(config);
    if (changed !== config) await write(path, configText(changed), held.isHeld);
    return changed;
  } finally {
    await held.release();
  }
}

/** @throws ConfigurationError when the file could not be written now. Nothing is changed. */
export async function checkWritable(path: string, signal: AbortSignal): Promise<void> {
  await updateConfig(path, (config) => config, signal);
}

async function lock(path: string, signal: AbortSignal): Promise<FileLock> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: FOLDER_MODE });
    return await takeLock(`${path}.lock`, signal);
  } catch (error) {
    signal.throwIfAborted();
    throw notWritten(path, error);
  }
}

/** Replaced atomically: a reader, also after a power cut, finds the old text or the new one. */
async function write(path: string, text: string, mayWrite: () => Promise<boolean>): Promise<void> {
  const target = await realpath(path).catch(() => path);
  const draft = `${target}.${randomUUID()}`;
  try {
    await chmod(dirname(path), FOLDER_MODE);
    const file = await open(draft, 'wx', FILE_MODE);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    if (!(await mayWrite())) throw new Error('another process took the lock');
    await rename(draft, target);
    await fsyncFolder(dirname(target));
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {});
    throw notWritten(path, error);
  }
}

/** Makes the new name durable. Not every file system lets a folder be opened; the file itself is safe already. */
async function fsyncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch(() => undefined);
  try {
    await folder?.sync().catch(() => {});
  } finally {
    await folder?.close();
  }
}

function notWritten(path: string, cause: unknown): ConfigurationError {
  return new ConfigurationError(`Cannot write the config file ${path}`, {
    details: writeReason(cause),
    next: 'Let this user write there and make room, or choose another folder with XDG_CONFIG_HOME',
    cause,
  });
}

function isCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}

const RETRY_MS = 20;
/** Work under the lock takes milliseconds: a lock of this age was left behind by a process that was killed. */
const STALE_MS = 10_000;
const WAIT_MS = 15_000;

/** A lock that is held. */
interface FileLock {
  /** Whether it still is: another process may have taken it from one that stood still for long. */
  isHeld(): Promise<boolean>;
  release(): Promise<void>;
}

/**
 * Takes a lock against other processes: a file that only one can create.
 *
 * @throws the file system's error when the file cannot be created at all, and an Error when the lock stays taken.
 */
async function takeLock(path: string, signal: AbortSignal): Promise<FileLock> {
  const token = randomUUID();
  const end = Date.now() + WAIT_MS;
  while (!(await createLock(path, token))) {
    if (Date.now() > end) throw new Error(`${path} is held by another process`);
    await removeStale(path);
    await sleep(RETRY_MS, signal);
  }
  const isHeld = async (): Promise<boolean> => (await readFile(path, 'utf8').catch(() => '')) === token;
  return {
    isHeld,
    release: async () => {
      if (await isHeld()) await rm(path, { force: true });
    },
  };
}

async function createLock(path: string, token: string): Promise<boolean> {
  let file: FileHandle;
  try {
    file = await open(path, 'wx', 0o600);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
  try {
    await file.writeFile(token).finally(() => file.close());
    return true;
  } catch (error) {
    // On a full disk: a lock without a token has no owner, and every process would wait for it.
    await rm(path, { force: true });
    throw error;
  }
}

/** Moved away under a name of its own, so that of several processes that find it stale one alone removes it. */
async function removeStale(path: string): Promise<void> {
  const age = await stat(path).then(
    ({ mtimeMs }) => Date.now() - mtimeMs,
    () => 0,
  );
  if (age < STALE_MS) return;
  const aside = `${path}.${randomUUID()}`;
  await rename(path, aside).catch(() => {});
  await rm(aside, { force: true });
}
