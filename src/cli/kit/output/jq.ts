import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { onAbort } from '../../../shared/async/abort.ts';
import { onOneLine } from '../../../shared/text.ts';
import { usageError } from '../errors.ts';

/**
 * jq compiled to WebAssembly answers in one go: in a thread of its own, an expression without end can be ended. The package
 * trims what jq writes, with it the spaces of a text: nothing is trimmed in this thread.
 */
const THREAD = `
  const { parentPort, workerData: { path, json, expression, flags } } = require('node:worker_threads');
  String.prototype.trim = String.prototype.toString;
  require(path).raw(json, expression, flags).then(
    ({ stdout, stderr, exitCode }) => parentPort.postMessage(exitCode === 0 ? { text: stdout } : { problem: stderr }),
    (error) => parentPort.postMessage({ problem: error.message }),
  );`;

interface JqOptions {
  /** Line breaks and indentation; one line a value otherwise. */
  isIndented: boolean;
  signal: AbortSignal;
}

/** What the expression makes of a JSON text, a line for each value; strings without quotes. */
export async function runJq(json: string, expression: string, { isIndented, signal }: JqOptions): Promise<string> {
  signal.throwIfAborted();
  const path = createRequire(import.meta.url).resolve('jq-wasm');
  // On one line every value is a line of JSON, in which strings can be told from the others.
  const flags = [isIndented ? '-r' : '-c'];
  const worker = new Worker(THREAD, { eval: true, workerData: { path, json, expression, flags } });
  const unlisten = onAbort(signal, () => void worker.terminate());
  try {
    const { text, problem } = await new Promise<{ text?: string; problem?: string }>((resolve, reject) => {
      worker.once('message', resolve).once('error', reject);
      worker.once('exit', () => reject(signal.reason ?? new Error('jq ended without an answer')));
    });
    if (text !== undefined) return isIndented ? text : text.split('\n').map(asWritten).join('\n');
    throw usageError('The expression of --jq cannot be run', { details: wordsOf(problem ?? '') });
  } finally {
    unlisten();
    await worker.terminate();
  }
}

/** A string is written as the text that it is; anything else stays one line for every reader. */
function asWritten(line: string): string {
  return line.startsWith('"') ? String(JSON.parse(line)) : onOneLine(line);
}

/** Without the names of the programs that the problem passed on its way. */
function wordsOf(problem: string): string {
  return problem.replaceAll(/jq: (error: )?/g, '').trim();
}
