import { type CallContext, type Premise, StaleError } from '../context.ts';

/** Whether a call failed, in whichever way, on a premise that does not hold. */
export async function isStale(error: unknown, { signal }: CallContext, premise: Premise): Promise<boolean> {
  if (error instanceof StaleError) return true;
  if (signal.aborted) return false;
  const [settled] = await Promise.allSettled([premise.settle(signal)]);
  return settled.status === 'rejected' && settled.reason instanceof StaleError;
}

/** The first event of a stream whose premise holds. */
export async function begun<T>(stream: AsyncIterable<T>, { premise, signal }: CallContext) {
  const events = stream[Symbol.asyncIterator]();
  const first = await events.next();
  try {
    await premise?.settle(signal);
  } catch (error) {
    await events.return?.();
    throw error;
  }
  return { events, first };
}
