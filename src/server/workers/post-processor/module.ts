import { unlessAborted } from '../../../shared/async/abort.ts';
import { PACKAGE_ROOT } from '../../../shared/package-root.ts';
import { type ModuleLimits, ModuleProcess, type ModuleReport, type StartedModule } from './module-process.ts';
import { CallNotStarted, type Created, type RemoteCallOptions } from './remote-call.ts';

export interface ModuleOptions {
  /** Of the module, or the name of a package. */
  url: string;
  /** Where packages are looked for besides those of this program; the working directory when left out. */
  directory?: string;
  report: ModuleReport;
  limits?: Partial<ModuleLimits>;
  /** The compiled entry of the process. */
  entry?: URL;
}

const LIMITS: ModuleLimits = { maxOldSpaceMb: 512, loadTimeoutMs: 30_000, silenceMs: 5000 };

/** A module of post processors in a process of its own. After an exit, the next call starts a new process. */
export class PostProcessorModule {
  /** The name of each exported factory, null for one that is no factory. */
  readonly factories: readonly (string | null)[];
  readonly #start: () => Promise<ModuleProcess>;
  readonly #closing: AbortController;
  #process: Promise<ModuleProcess>;

  private constructor(
    { process, factories }: StartedModule,
    closing: AbortController,
    start: () => Promise<ModuleProcess>,
  ) {
    this.factories = factories;
    this.#closing = closing;
    this.#start = start;
    this.#process = Promise.resolve(process);
  }

  /** Loads the module. Rejects with the reason when that fails. */
  static async start({ url, directory, report, limits, entry }: ModuleOptions): Promise<PostProcessorModule> {
    const closing = new AbortController();
    const options = {
      url,
      directory: directory ?? process.cwd(),
      report,
      limits: { ...LIMITS, ...limits },
      entry: entry ?? new URL('dist/server/workers/post-processor/entry.js', PACKAGE_ROOT),
      signal: closing.signal,
    };
    const first = await ModuleProcess.start(options);
    return new PostProcessorModule(first, closing, async () => (await ModuleProcess.start(options)).process);
  }

  /**
   * Calls `create` of a factory. Rejects with `ModuleExited`, `ModuleUnresponsive` or the reason of the signal. A call that the
   * had not started when the process exited is repeated in a new process, since it cannot have caused the exit.
   */
  async create(factory: string, options: RemoteCallOptions): Promise<Created> {
    for (;;) {
      // An aborted call must not start a process.
      options.signal.throwIfAborted();
      const process = await unlessAborted(this.#running(), options.signal);
      try {
        return await process.create(factory, options);
      } catch (error) {
        if (!(error instanceof CallNotStarted)) throw error;
      }
    }
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('The server is stopping'));
    const process = await this.#process.catch(() => undefined);
    await process?.close();
  }

  async #running(): Promise<ModuleProcess> {
    const known = this.#process;
    const process = await known.catch(() => undefined);
    this.#closing.signal.throwIfAborted();
    if (process !== undefined && !process.isGone) return process;
    // Of several calls that wait, the first one starts the new process.
    if (this.#process === known) this.#process = this.#start();
    return await this.#process;
  }
}
