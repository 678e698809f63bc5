/** The process of one post processor module: its URL is the argument, everything else comes as messages. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { writeFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { faultLimit } from './fault-limit.ts';
import { loadModule } from './load-module.ts';
import { OwnCall } from './own-call.ts';
import type { FromModule, ToModule } from './protocol.ts';
import { reportable } from './reportable.ts';

const [, , url = ''] = process.argv;
const send = process.send?.bind(process);
if (send === undefined) throw new Error('The entry runs as a child of the server only');
// What a module sends through it would be taken for ours.
delete process.send;
// What cannot be sent any more is lost with the server, which ends this process.
const post = (message: FromModule): void => void send(message, undefined, undefined, () => {});

// The server says when to stop: Ctrl-C and service managers send their signals to both, and retrievals may be under way.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
process.on('disconnect', () => process.exit());
endWithParent();
giveWayToServer();

const calls = new Map<number, OwnCall>();
/** Whose code is running, also in callbacks: an error that nobody catches ends that call and no other. */
const current = new AsyncLocalStorage<number>();

const fault = faultLimit((thrown) => post({ kind: 'fault', error: reportable(thrown) }));

function caught(thrown: unknown): void {
  const call = calls.get(current.getStore() ?? 0);
  if (call?.isOver === false) call.fail(thrown);
  else fault(thrown);
}
process.on('uncaughtException', caught);
process.on('unhandledRejection', caught);

const { factories, report } = await loadModule(url);
process.on('message', (message: ToModule) => {
  if (message.kind === 'ping') post({ kind: 'pong' });
  else current.run(message.id, () => receive(message));
});
post(report);

function receive(message: Exclude<ToModule, { kind: 'ping' }>): void {
  const call = message.kind === 'create' ? new OwnCall(message.id, post) : calls.get(message.id);
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
 * A module in an endless loop does not hear that the server is gone. A thread beside it looks who the parent is: an orphan
 * has got another.
 */
function endWithParent(): void {
  const code = `
    const { ppid } = process;
    setInterval(() => process.ppid === ppid || process.kill(process.pid, 'SIGKILL'), 2000);`;
  new Worker(code, { eval: true, execArgv: [], resourceLimits: { maxOldGenerationSizeMb: 8 } }).unref();
}

/** Where memory runs out for both, Linux is to end the module and not the server. Elsewhere there is no such file. */
function giveWayToServer(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch {
    // Then the kernel decides as it would.
  }
}
