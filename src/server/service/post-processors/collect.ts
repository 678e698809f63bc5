import type { CallContext } from '../../context.ts';
import { type Failure, failureOf } from './failure.ts';
import { Outputs } from './outputs.ts';
import { type TimeLimit, withinTime } from './time-limit.ts';

export interface CollectOptions extends TimeLimit {
  context: Pick<CallContext, 'signal'>;
}

export interface Collected {
  outputs: Outputs;
  failure?: Failure;
}

/**
 * Takes what a post processor yields until it ends, fails, or its time is up; the scope ends with it. Rejects with the
 * reason of the signal when the client leaves.
 */
export async function collect(open: () => AsyncIterable<unknown>, options: CollectOptions): Promise<Collected> {
  const { scope, context } = options;
  const outputs = new Outputs();
  try {
    context.signal.throwIfAborted();
    await withinTime(options, async () => {
      for await (const output of open()) outputs.add(output);
    });
    return { outputs };
  } catch (error) {
    context.signal.throwIfAborted();
    return { outputs, failure: failureOf(error, scope.signal) };
  } finally {
    scope.abort(new Error('The post processor has ended'));
  }
}
