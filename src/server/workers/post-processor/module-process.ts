import { type ChildProcess, fork } from 'node:child_process';
import { getFips } from 'node:crypto';
import { fromWireError } from '../errors.ts';
import { ModuleEnded, ModuleSilent } from './failures.ts';
import { eachLine } from './lines.ts';
import type { AboutCall, FromModule, Loaded, ToModule } from './protocol.ts';
import { type CallOptions, type Created, RemoteCall } from './remote-call.ts';

export interface ModuleLimits {
  /** Heap in MiB; buffers outside of it do not count. */
  maxOldSpaceMb: number;
  /** What has not loaded by then waits for something that never comes. */
  loadTimeoutMs: number;
  /** A process that answers nobody for so long is in a loop that never lets go. */
  silenceMs: number;
}

export interface ModuleReport {
  /** A line that the module wrote. */
  line(stream: 'stdout' | 'stderr', text: string): void;
  /** An error that no call has to answer for. */
  fault(error: Error): void;
  /** The process has ended, and nobody had told it to. */
  ended(error: Error): void;
}

export interface ModuleProcessOptions {
  url: string;
  /** The compiled entry of the process. */
  entry: URL;
  limits: ModuleLimits;
  report: ModuleReport;
  /** Ends a start that is under way. */
  signal: AbortSignal;
}

export interface StartedModule {
  process: ModuleProcess;
  /** The name of each exported factory, null for one that is no factory. */
  factories: (string | null)[];
}

/** Of these in a row must go unanswered: one is late too when it was this process that stood still. */
const PINGS = 4;
/** For what the process said before it ended, and for its end once it is told to. */
const END_TIMEOUT_MS = 1000;

/** One process with one module, while it lasts. */
export class ModuleProcess {
  readonly #child: ChildProcess;
  readonly #report: ModuleReport;
  readonly #calls = new Map<number, RemoteCall>();
  readonly #gone: Promise<void>;
  #lastId = 0;
  #unanswered = 0;
  #watch: NodeJS.Timeout | undefined;
  #onLoaded: ((loaded: Loaded | Error) => void) | undefined;
  #killedFor: Error | undefined;
  #end: Error | undefined;
  #isClosing = false;

  private constructor({ url, entry, limits, report }: ModuleProcessOptions) {
    this.#report = report;
    this.#child = fork(entry, [url], {
      serialization: 'advanced',
      // Flags such as --inspect or --import are not meant for it, and it has no terminal.
      execArgv: [`--max-old-space-size=${limits.maxOldSpaceMb}`, ...(getFips() === 1 ? ['--force-fips'] : [])],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    for (const name of ['stdout', 'stderr'] as const) {
      const stream = this.#child[name];
      if (stream !== null) eachLine(stream, (text) => report.line(name, text));
    }
    this.#gone = this.#followEnd();
    this.#child.on('message', (message) => this.#receive(message as FromModule));
  }

  /** Rejects with the reason when the module cannot be loaded. */
  static async start(options: ModuleProcessOptions): Promise<StartedModule> {
    options.signal.throwIfAborted();
    const process = new ModuleProcess(options);
    const { loadTimeoutMs, silenceMs } = options.limits;
    const loaded = await process.#loaded(loadTimeoutMs, options.signal);
    if (!(loaded instanceof Error) && loaded.kind === 'loaded') {
      // Not before: a module may take its time to load.
      process.#watch = setInterval(() => process.#ping(), silenceMs / PINGS);
      return { process, factories: loaded.factories };
    }
    process.#kill(new ModuleEnded('The module did not load'));
    await process.#gone;
    throw loaded instanceof Error ? loaded : new Error(loaded.problem);
  }

  get isGone(): boolean {
    return this.#end !== undefined;
  }

  /** Rejects with `ModuleEnded`, `ModuleSilent`, `CallNotBegun`, the reason of the signal, or what the module threw. */
  async create(factory: string, { config, tools, signal }: CallOptions): Promise<Created> {
    signal.throwIfAborted();
    const id = ++this.#lastId;
    const call = new RemoteCall(id, tools, (message) => this.#send(message));
    if (this.#end !== undefined) call.lose(this.#end);
    else this.#calls.set(id, call);
    const onAbort = () => {
      this.#calls.delete(id);
      this.#send({ kind: 'end', id, reason: signal.reason instanceof Error ? signal.reason.message : 'It was ended' });
      call.fail(signal.reason);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    return await call.create(factory, config);
  }

  /** Ends the process; calls under way fail. */
  async close(): Promise<void> {
    this.#isClosing = true;
    // It ends by itself when it hears of that, and is ended when it does not.
    if (this.#child.connected) this.#child.disconnect();
    await this.#gone;
  }

  #loaded(timeoutMs: number, signal: AbortSignal): Promise<Loaded | Error> {
    return new Promise((resolve) => {
      const onAbort = () => settle(signal.reason);
      const timer = setTimeout(() => settle(new Error(`it did not load within ${timeoutMs / 1000} s`)), timeoutMs);
      signal.addEventListener('abort', onAbort, { once: true });
      const settle = (loaded: Loaded | Error) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        this.#onLoaded = undefined;
        resolve(loaded);
      };
      this.#onLoaded = settle;
    });
  }

  #send(message: ToModule): void {
    // Failures to send come with the end of the process, which ends every call.
    if (this.#child.connected) this.#child.send(message, () => {});
  }

  #receive(message: FromModule): void {
    this.#unanswered = 0;
    try {
      this.#take(message);
    } catch (cause) {
      // A module can reach the channel if it tries; what it writes there must not end the server.
      this.#kill(new ModuleEnded('The process of the module sent a message that cannot be understood', { cause }));
    }
  }

  #take(message: FromModule): void {
    if (message.kind === 'loaded' || message.kind === 'unusable') this.#onLoaded?.(message);
    else if (message.kind === 'fault') this.#report.fault(fromWireError(message.error));
    else if (message.kind !== 'pong') this.#hear(message);
  }

  #hear(message: AboutCall): void {
    const call = this.#calls.get(message.id);
    if (call !== undefined) call.receive(message);
    else if (message.kind === 'failed') this.#report.fault(fromWireError(message.error));
  }

  #ping(): void {
    if (this.#unanswered++ < PINGS) this.#send({ kind: 'ping' });
    else this.#kill(new ModuleSilent('The module has stopped responding; it may be in an endless loop'));
  }

  #kill(reason: Error): void {
    this.#killedFor ??= reason;
    this.#child.kill('SIGKILL');
  }

  /** Resolves when the process is gone and everything it has said is heard. */
  #followEnd(): Promise<void> {
    const child = this.#child;
    return new Promise((resolve) => {
      const gone = (error: Error) => {
        if (this.#end !== undefined) return;
        this.#lose(this.#killedFor ?? error);
        resolve();
      };
      child.on('error', (cause) => {
        if (child.pid === undefined) gone(new ModuleEnded('The process of the module did not start', { cause }));
      });
      let hungUp: NodeJS.Timeout | undefined;
      child.on('disconnect', () => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        // Most often because it is about to end, which says more.
        const reason = new ModuleEnded('The process of the module closed its connection');
        hungUp = setTimeout(() => this.#kill(reason), END_TIMEOUT_MS);
      });
      child.on('exit', (code, signal) => {
        clearTimeout(hungUp);
        const how = signal === null ? `with code ${code}` : `by ${signal}`;
        const end = () => gone(new ModuleEnded(`The process of the module ended ${how}`));
        if (!child.connected) return end();
        child.once('disconnect', end);
        setTimeout(end, END_TIMEOUT_MS).unref();
      });
    });
  }

  #lose(error: Error): void {
    clearInterval(this.#watch);
    this.#end = error;
    this.#onLoaded?.(error);
    // One that did not load is its starter's to tell.
    if (this.#watch !== undefined && !this.#isClosing) this.#report.ended(error);
    for (const call of this.#calls.values()) call.lose(error);
    this.#calls.clear();
  }
}
