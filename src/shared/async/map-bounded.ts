import { firstOf } from './abort.ts';

interface MapBounds {
  /** At most so many items in work at once. */
  limit: number;
  /** Its abort starts nothing new; what runs is waited for, and the reason is thrown. */
  signal?: AbortSignal;
  /** Called with the first failure at once, while the others still run. */
  onFailure?: (error: unknown) => void;
}

/**
 * Runs `work` for each item, several at once. After the first failure nothing new starts, the signal that the others were
 * given aborts with it, and it is thrown once they have ended. When the items themselves fail to come, what is under way
 * is finished first.
 */
export async function mapBounded<T>(
  items: Iterable<T> | AsyncIterable<T>,
  { limit, signal, onFailure }: MapBounds,
  work: (item: T, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const stop = new AbortController();
  const ended = firstOf(signal, stop.signal);
  const iterator = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  let failed: { error: unknown } | undefined;
  let broken: { error: unknown } | undefined;
  const next = async (): Promise<IteratorResult<T>> => {
    try {
      if (broken === undefined) return await iterator.next();
    } catch (error) {
      broken ??= { error };
    }
    return { done: true, value: undefined };
  };
  const fail = (error: unknown): void => {
    // Later failures are those of work that was aborted.
    if (failed !== undefined) return;
    failed = { error };
    onFailure?.(error);
    stop.abort(error);
  };
  const worker = async (): Promise<void> => {
    while (!ended.aborted) {
      const { done, value } = await next();
      // A failure of another worker may have come while this one waited for its item.
      if (done === true || ended.aborted) return;
      await work(value, ended);
    }
  };
  await Promise.all(Array.from({ length: limit }, () => worker().catch(fail)));
  try {
    await iterator.return?.();
  } catch (error) {
    broken ??= { error };
  }
  signal?.throwIfAborted();
  throwFirst(failed, broken);
}

function throwFirst(...failures: ({ error: unknown } | undefined)[]): void {
  for (const failure of failures) if (failure !== undefined) throw failure.error;
}
