import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '../../log.ts';
import type { LoadedSettings } from '../../settings/load.ts';
import type { RateLimits } from '../rate-limit/rate-limiter.ts';
import { LicenseProblem, parseLicense } from './parse-license.ts';

export interface LicenseOptions {
  directory: string;
  /** Limits given by flag or variable: they beat every license. */
  explicit: Partial<RateLimits>;
  /** What holds without a license, and is already in force. */
  defaults: RateLimits;
  /** Sets the limits and restarts the counters. */
  applyLimits(limits: RateLimits): void;
  log: Logger;
}

type ActiveLicense = Omit<LicenseFile, 'text'>;

interface LicenseReload {
  status: 'LOADED' | 'UNCHANGED' | 'FAILED' | 'NOT_FOUND';
  /** A sentence. */
  message: string;
}

/** The license of this server: which file is in force, and what it changes. Without one nothing is locked. */
export class License {
  readonly #options: LicenseOptions;
  #active: ActiveLicense | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: LicenseOptions) {
    this.#options = options;
  }

  /** The file in force. */
  get active(): ActiveLicense | undefined {
    return this.#active;
  }

  /** Reads the directory for the first time. What is found is logged; without a usable file the defaults stay in force. */
  async start(): Promise<void> {
    const { status, message } = await this.reload();
    if (status === 'FAILED') this.#options.log.warn({ directory: this.#options.directory }, message);
    if (status === 'LOADED') this.#options.log.info({ ...this.#active }, message);
  }

  /** Reads the directory again. Calls at the same time take turns. */
  reload(): Promise<LicenseReload> {
    const turn = this.#last.then(() => this.#reload());
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  async #reload(): Promise<LicenseReload> {
    try {
      const file = await findLicense(this.#options.directory);
      return file === undefined ? this.#drop() : this.#take(file);
    } catch (error) {
      if (!(error instanceof LicenseProblem)) throw error;
      const now = this.#active === undefined ? 'no license is' : `${this.#active.filename} stays`;
      return { status: 'FAILED', message: `The license cannot be used: ${error.message}; ${now} in force` };
    }
  }

  #drop(): LicenseReload {
    if (this.#active !== undefined) {
      this.#active = undefined;
      this.#apply({});
    }
    return {
      status: 'NOT_FOUND',
      message: `There is no license in ${this.#options.directory}; the server's own settings apply`,
    };
  }

  #take({ text, ...facts }: LicenseFile): LicenseReload {
    const { filename } = facts;
    if (facts.sha256 === this.#active?.sha256) {
      this.#active = facts;
      return { status: 'UNCHANGED', message: `${filename} is already in force` };
    }
    const limits = licenseOf(filename, text);
    this.#active = facts;
    this.#apply(limits);
    return { status: 'LOADED', message: `${filename} is in force` };
  }

  #apply(licensed: Partial<RateLimits>): void {
    const { defaults, explicit, applyLimits } = this.#options;
    applyLimits({ ...defaults, ...licensed, ...explicit });
  }
}

function licenseOf(filename: string, text: string): Partial<RateLimits> {
  try {
    return parseLicense(text);
  } catch (error) {
    if (!(error instanceof LicenseProblem)) throw error;
    throw new LicenseProblem(`${filename}: ${error.message}`, { cause: error });
  }
}

/** Larger than any license, and small enough to refuse another file before it is read. */
const MAX_BYTES = 65_536;

interface LicenseFile {
  filename: string;
  text: string;
  /** Lower-case hexadecimal, of the bytes. */
  sha256: string;
  sizeBytes: number;
  /** Epoch milliseconds. */
  modifiedAt: number;
}

/**
 * The license file that counts: of `*.json`, hidden files aside, the last name in the order of code units. Undefined when
 * there is none, or no such directory. Throws LicenseProblem when it cannot be read.
 */
async function findLicense(directory: string): Promise<LicenseFile | undefined> {
  const names = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
    throw new LicenseProblem(`cannot be listed (${error.code})`, { cause: error });
  });
  const filename = names
    .filter((name) => name.endsWith('.json') && !name.startsWith('.'))
    .sort()
    .at(-1);
  return filename === undefined ? undefined : await readLicense(directory, filename);
}

async function readLicense(directory: string, filename: string): Promise<LicenseFile> {
  let file: FileHandle | undefined;
  try {
    // Links are followed, since mounted configuration consists of them; a pipe is not waited for.
    file = await open(join(directory, filename), constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = await file.stat();
    if (!stats.isFile()) throw new LicenseProblem(`${filename} is not a file`);
    if (stats.size > MAX_BYTES) throw new LicenseProblem(`${filename} is larger than ${MAX_BYTES} bytes`);
    const bytes = await file.readFile();
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const text = bytes.toString('utf8');
    return { filename, text, sha256, sizeBytes: bytes.length, modifiedAt: Math.trunc(stats.mtimeMs) };
  } catch (error) {
    if (error instanceof LicenseProblem) throw error;
    const reason = error instanceof Error && 'code' in error ? error.code : error;
    throw new LicenseProblem(`${filename} cannot be read (${reason})`, { cause: error });
  } finally {
    await file?.close();
  }
}

/** The license of these settings, read for the first time. The limits of the settings themselves are in force already. */
export async function openLicense(
  { settings, sources }: Pick<LoadedSettings, 'settings' | 'sources'>,
  applyLimits: (limits: RateLimits) => void,
  log: Logger,
): Promise<License> {
  const { rateLimitMax: max, rateLimitWindowS: windowSeconds } = settings;
  const license = new License({
    directory: settings.licenseDir,
    defaults: { max, windowSeconds },
    explicit: {
      ...(sources.rateLimitMax.kind === 'default' ? {} : { max }),
      ...(sources.rateLimitWindowS.kind === 'default' ? {} : { windowSeconds }),
    },
    applyLimits,
    log,
  });
  await license.start();
  return license;
}
