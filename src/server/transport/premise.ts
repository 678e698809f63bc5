import { type CallContext, type Premise, StaleError } from '../context.ts';

/**
 * Whether a call failed, in whichever way, on a premise that does not hold. Throws when that cannot be found out: then not even a
 * refusal may go out, which could rest on what the key was once allowed.
 */
export async function isStale(error: unknown, { signal }: CallContext, premise: Premise): Promise<boolean> {
  if (error instanceof StaleError) return true;
  if (signal.aborted) return false;
  const [settled] = await Promise.allSettled([premise.settle(signal)]);
  if (settled.status === 'fulfilled') return false;
  if (settled.reason instanceof StaleError) return true;
  throw settled.reason;
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
