import { type ChildProcess, fork } from 'node:child_process';
import { getFips } from 'node:crypto';
import type { Readable } from 'node:stream';
import { onAbort } from '../../../shared/async/abort.ts';
import { waitFor } from '../../../shared/async/deadline.ts';
import { fromWireError } from '../errors.ts';
import type { CallMessage, FromModule, Loaded, ToModule } from './protocol.ts';
import { type Created, ModuleExited, ModuleUnresponsive, RemoteCall, type RemoteCallOptions } from './remote-call.ts';

export interface ModuleLimits {
  /** Heap limit in MiB; buffers outside the heap do not count. */
  maxOldSpaceMb: number;
  /** Timeout of loading the module. */
  loadTimeoutMs: number;
  /** A process that does not respond for this long is killed. */
  silenceMs: number;
}

export interface ModuleReport {
  /** A line that the module wrote. */
  line(stream: 'stdout' | 'stderr', text: string): void;
  /** An error outside of any running call. */
  fault(error: Error): void;
  /** The process has exited without `close`. */
  ended(error: Error): void;
}

interface ModuleProcessOptions {
  /** Of the module, or the name of a package. */
  url: string;
  /** Where packages are looked for besides those of this program. */
  directory: string;
  /** The compiled entry of the process. */
  entry: URL;
  limits: ModuleLimits;
  report: ModuleReport;
  /** Aborts the start. */
  signal: AbortSignal;
}

export interface StartedModule {
  process: ModuleProcess;
  /** The name of each exported factory, null for one that is no factory. */
  factories: (string | null)[];
}

/** The process is killed after this many unanswered pings in a row: one may also be late because this process was stopped. */
const PINGS = 4;
/** Time to receive the last messages of a process that has exited, and for the exit of one that has disconnected. */
const END_TIMEOUT_MS = 1000;

/** One process that runs one module. */
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

  private constructor({ url, directory, entry, limits, report }: ModuleProcessOptions) {
    this.#report = report;
    this.#child = fork(entry, [url, directory], {
      serialization: 'advanced',
      // Without the flags of the server, such as --inspect or --import.
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
      // Not before: loading a module may block its event loop.
      process.#watch = setInterval(() => process.#ping(), silenceMs / PINGS);
      return { process, factories: loaded.factories };
    }
    process.#kill(new ModuleExited('The module did not load'));
    await process.#gone;
    throw loaded instanceof Error ? loaded : new Error(loaded.problem);
  }

  get isGone(): boolean {
    return this.#end !== undefined;
  }

  /** Rejects with `ModuleExited`, `ModuleUnresponsive`, `CallNotStarted`, the reason of the signal, or what the module threw. */
  async create(factory: string, { config, tools, signal }: RemoteCallOptions): Promise<Created> {
    signal.throwIfAborted();
    const id = ++this.#lastId;
    const call = new RemoteCall(id, tools, (message) => this.#send(message));
    if (this.#end !== undefined) call.lose(this.#end);
    else this.#calls.set(id, call);
    // The signal ends with the call, and so nothing lets go of it.
    onAbort(signal, () => {
      this.#calls.delete(id);
      this.#send({
        kind: 'end',
        id,
        reason: signal.reason instanceof Error ? signal.reason.message : 'The call was aborted',
      });
      call.fail(signal.reason);
    });
    return await call.create(factory, config);
  }

  /** Ends the process; its running calls fail. */
  async close(): Promise<void> {
    this.#isClosing = true;
    // The process exits when it handles the disconnection; otherwise it is killed after END_TIMEOUT_MS.
    if (this.#child.connected) this.#child.disconnect();
    await this.#gone;
  }

  async #loaded(timeoutMs: number, signal: AbortSignal): Promise<Loaded | Error> {
    const loaded = new Promise<Loaded | Error>((resolve) => {
      this.#onLoaded = resolve;
    });
    const timeoutReason = () => new Error(`it did not load within ${timeoutMs / 1000} s`);
    try {
      return await waitFor(loaded, { signal, timeoutMs, timeoutReason });
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    } finally {
      this.#onLoaded = undefined;
    }
  }

  #send(message: ToModule): void {
    // Sending fails only when the process has exited, which fails every call.
    if (this.#child.connected) this.#child.send(message, () => {});
  }

  #receive(message: FromModule): void {
    this.#unanswered = 0;
    try {
      this.#take(message);
    } catch (cause) {
      // A module can get access to the channel; an invalid message must not crash the server.
      this.#kill(new ModuleExited('The process of the module sent a malformed message', { cause }));
    }
  }

  #take(message: FromModule): void {
    if (message.kind === 'loaded' || message.kind === 'unusable') this.#onLoaded?.(message);
    else if (message.kind === 'fault') this.#report.fault(fromWireError(message.error));
    else if (message.kind !== 'pong') this.#receiveForCall(message);
  }

  #receiveForCall(message: CallMessage): void {
    const call = this.#calls.get(message.id);
    if (call !== undefined) call.receive(message);
    else if (message.kind === 'failed') this.#report.fault(fromWireError(message.error));
  }

  #ping(): void {
    if (this.#unanswered++ < PINGS) this.#send({ kind: 'ping' });
    else this.#kill(new ModuleUnresponsive('The module has stopped responding; it may be in an endless loop'));
  }

  #kill(reason: Error): void {
    this.#killedFor ??= reason;
    this.#child.kill('SIGKILL');
  }

  /** Resolves when the process has exited and all its messages were received. */
  #followEnd(): Promise<void> {
    const child = this.#child;
    return new Promise((resolve) => {
      const gone = (error: Error) => {
        if (this.#end !== undefined) return;
        this.#lose(this.#killedFor ?? error);
        resolve();
      };
      child.on('error', (cause) => {
        if (child.pid === undefined) gone(new ModuleExited('The process of the module did not start', { cause }));
      });
      let hungUp: NodeJS.Timeout | undefined;
      child.on('disconnect', () => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        // It is usually about to exit, and the exit code says more than this error.
        const reason = new ModuleExited('The process of the module closed its connection');
        hungUp = setTimeout(() => this.#kill(reason), END_TIMEOUT_MS);
      });
      child.on('exit', (code, signal) => {
        clearTimeout(hungUp);
        const how = signal === null ? `with code ${code}` : `by ${signal}`;
        const end = () => gone(new ModuleExited(`The process of the module ended ${how}`));
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
    // A failure to load is reported by `start`.
    if (this.#watch !== undefined && !this.#isClosing) this.#report.ended(error);
    for (const call of this.#calls.values()) call.lose(error);
    this.#calls.clear();
  }
}

const MAX_LINE = 8192;
/** A pause after this many characters limits the output to about 1 MiB per second; back-pressure slows down a module that writes more. */
const BURST = 262_144;
const PAUSE_MS = 250;

/** Calls `line` with each line of a stream; lines longer than MAX_LINE are split. */
function eachLine(stream: Readable, line: (text: string) => void): void {
  let rest = '';
  let burst = 0;
  stream.setEncoding('utf8');
  stream.on('data', (part: string) => {
    const lines = (rest + part).split('\n');
    rest = lines.pop() ?? '';
    for (const text of lines) pieces(text, line);
    if (rest.length > MAX_LINE) {
      pieces(rest, line);
      rest = '';
    }
    burst += part.length;
    if (burst < BURST) return;
    burst = 0;
    stream.pause();
    setTimeout(() => stream.resume(), PAUSE_MS).unref();
  });
  stream.on('end', () => pieces(rest, line));
}

function pieces(text: string, line: (text: string) => void): void {
  for (let start = 0; start < text.length; start += MAX_LINE) line(text.slice(start, start + MAX_LINE).trimEnd());
}
