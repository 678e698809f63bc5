import { parentPort } from 'node:worker_threads';
import { toWireError, type WireError } from './errors.ts';
import { isTaskName, tasks } from './tasks.ts';
import { transferables } from './transferables.ts';

/** A message from the pool to a thread: one task at a time. */
export interface ThreadRequest {
  task: string;
  input: unknown;
}

/** A message from a thread: `ready` once its modules are loaded, then one result per request. */
export type ThreadResponse = { ready: true } | { ok: true; output: unknown } | { ok: false; error: WireError };

async function perform({ task, input }: ThreadRequest): Promise<unknown> {
  if (!isTaskName(task)) throw new Error(`Unknown task: ${task}`);
  // The pool has typed the input by the name of the task; messages between threads are untyped.
  const run = tasks[task] as (input: unknown) => unknown;
  return await run(input);
}

const port = parentPort;
if (port === null) throw new Error('This module runs only inside a worker thread');

port.on('message', (request: ThreadRequest) => {
  perform(request).then(
    (output) => port.postMessage({ ok: true, output } satisfies ThreadResponse, transferables(output)),
    (error: unknown) => port.postMessage({ ok: false, error: toWireError(error) } satisfies ThreadResponse),
  );
});
port.postMessage({ ready: true } satisfies ThreadResponse);
