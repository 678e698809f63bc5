import type { Logger } from '../../log.ts';
import type { RateLimits } from '../rate-limit/rate-limiter.ts';
import { findLicense, type LicenseFile } from './license-file.ts';
import { LicenseProblem, parseLicense } from './parse-license.ts';

export interface LicenseOptions {
  directory: string;
  /** Limits given by flag or variable: they beat every license. */
  explicit: Partial<RateLimits>;
  /** What holds without a license, and is already in force. */
  defaults: RateLimits;
  /** Puts limits in force and begins to count anew. */
  applyLimits(limits: RateLimits): void;
  log: Logger;
}

export type ActiveLicense = Omit<LicenseFile, 'text'>;

export interface LicenseReload {
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
