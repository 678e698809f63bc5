/**
 * The entry of the process of one post processor module. The arguments are its URL or package, and the directory where packages
 * are looked for besides those of this program; all else comes in messages.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { isObject } from '../../../shared/json/parse.ts';
import { ModuleCall } from './module-call.ts';
import type { FromModule, Loaded, ToModule } from './protocol.ts';
import { reportable } from './reportable.ts';
import type { PostProcessorFactory } from './types.ts';

const MOST_FAULTS = 10;
const FAULT_PERIOD_MS = 1000;

const [, , url = '', directory = ''] = process.argv;
const send = process.send?.bind(process);
if (send === undefined) throw new Error('This module runs only as a child process of the server');
// The module must not be able to send messages in the name of this code.
delete process.send;
// Sending fails only when the server has exited, which also ends this process.
const post = (message: FromModule): void => void send(message, undefined, undefined, () => {});

// Only the server ends this process: Ctrl-C and service managers signal both, and retrievals may be running.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
process.on('disconnect', () => process.exit());
endWithParent();
preferAsOomVictim();

const calls = new Map<number, ModuleCall>();
/** The call whose code is running, also in callbacks, so that an uncaught error fails only that call. */
const current = new AsyncLocalStorage<number>();

const fault = faultLimit((thrown) => post({ kind: 'fault', error: reportable(thrown) }));

function caught(thrown: unknown): void {
  const call = calls.get(current.getStore() ?? 0);
  if (call?.isOver === false) call.fail(thrown);
  else fault(thrown);
}
process.on('uncaughtException', caught);
process.on('unhandledRejection', caught);

const { factories, report } = await loadModule();
process.on('message', (message: ToModule) => {
  if (message.kind === 'ping') post({ kind: 'pong' });
  else current.run(message.id, () => receive(message));
});
post(report);

function receive(message: Exclude<ToModule, { kind: 'ping' }>): void {
  const call = message.kind === 'create' ? new ModuleCall(message.id, post) : calls.get(message.id);
  if (call === undefined) return;
  if (message.kind === 'create') {
    calls.set(message.id, call);
    call.create(factories.get(message.factory), message.config);
  } else if (message.kind === 'process') call.process(message.input);
  else if (message.kind === 'next') void call.next();
  else if (message.kind === 'toolAnswer') call.toolAnswered(message.use, message.answer);
  else {
    calls.delete(message.id);
    call.end(message.reason);
  }
}

/**
 * A module in an endless loop cannot handle the disconnection from the server. A thread therefore polls the id of the
 * parent process, which changes when the server has exited.
 */
function endWithParent(): void {
  const code = `
    const { ppid } = process;
    setInterval(() => process.ppid === ppid || process.kill(process.pid, 'SIGKILL'), 2000);`;
  new Worker(code, { eval: true, execArgv: [], resourceLimits: { maxOldGenerationSizeMb: 8 } }).unref();
}

/** When memory runs out, Linux should kill the module and not the server. Other systems have no such file. */
function preferAsOomVictim(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch {
    // Then the kernel decides.
  }
}

interface LoadedModule {
  /** By name; exports that are no factories are left out. */
  factories: ReadonlyMap<string, PostProcessorFactory>;
  report: Loaded;
}

/** Loads the module into this process. */
async function loadModule(): Promise<LoadedModule> {
  try {
    const { factory, factories }: Record<string, unknown> = await import(URL.canParse(url) ? url : urlOfPackage());
    const exported: unknown[] = [
      ...(Array.isArray(factories) ? factories : []),
      ...(factory === undefined ? [] : [factory]),
    ];
    const usable = exported.map((candidate) => (isFactory(candidate) ? candidate : undefined));
    return {
      factories: new Map(usable.flatMap((found) => (found === undefined ? [] : [[found.name, found]]))),
      report: { kind: 'loaded', factories: usable.map((found) => found?.name ?? null) },
    };
  } catch (error) {
    const problem = reportable(error).message;
    return { factories: new Map(), report: { kind: 'unusable', problem } };
  }
}

/** Throws for one that is not installed. */
function urlOfPackage(): string {
  try {
    return import.meta.resolve(url);
  } catch (error) {
    if (!isObject(error) || error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    return pathToFileURL(createRequire(`${directory}/`).resolve(url)).href;
  }
}

function isFactory(value: unknown): value is PostProcessorFactory {
  return isObject(value) && typeof value.name === 'string' && typeof value.create === 'function';
}

/** Reports at most ten errors per second, so that a failing module does not fill the server's log, and how many were left out. */
function faultLimit(report: (thrown: unknown) => void): (thrown: unknown) => void {
  let count = 0;
  const endPeriod = (): void => {
    const leftOut = count - MOST_FAULTS;
    count = 0;
    if (leftOut > 0) report(new Error(`${leftOut} more errors within one second are not shown`));
  };
  return (thrown) => {
    if (count === 0) setTimeout(endPeriod, FAULT_PERIOD_MS).unref();
    count += 1;
    if (count <= MOST_FAULTS) report(thrown);
  };
}
