import type { CallContext } from '../../context.ts';
import { BadOutput, Outputs } from './outputs.ts';

export interface CollectOptions {
  /** Ends with the client's; aborted too when the time is up, or nothing more is wanted. */
  scope: AbortController;
  timeoutMs: number;
  context: Pick<CallContext, 'signal'>;
}

export interface Collected {
  outputs: Outputs;
  failure?: { reason: 'error' | 'timeout' | 'bad output'; error: unknown };
}

class TimeIsUp extends Error {}

/**
 * Takes what a post processor yields until it ends, fails, or its time is up. Whatever it does then, nobody waits for
 * it. Rejects with the reason of the signal when the client leaves.
 */
export async function collect(open: () => AsyncIterable<unknown>, options: CollectOptions): Promise<Collected> {
  const { scope, timeoutMs, context } = options;
  const outputs = new Outputs();
  const timer = setTimeout(() => scope.abort(new TimeIsUp('The time of the post processor is up')), timeoutMs);
  try {
    context.signal.throwIfAborted();
    await drain(open, outputs, scope.signal);
    return { outputs };
  } catch (error) {
    context.signal.throwIfAborted();
    const reason = error instanceof BadOutput ? 'bad output' : scope.signal.aborted ? 'timeout' : 'error';
    return { outputs, failure: { reason, error } };
  } finally {
    clearTimeout(timer);
    scope.abort(new Error('The post processor has ended'));
  }
}

async function drain(open: () => AsyncIterable<unknown>, outputs: Outputs, signal: AbortSignal): Promise<void> {
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  // Nobody may be waiting when it rejects.
  aborted.catch(() => {});
  const iterator = open()[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await Promise.race([iterator.next(), aborted]);
      if (next.done === true) return;
      outputs.add(next.value);
    }
  } catch (error) {
    // Not awaited: a generator that hangs answers it never.
    void Promise.resolve(iterator.return?.()).catch(() => {});
    throw error;
  }
}
