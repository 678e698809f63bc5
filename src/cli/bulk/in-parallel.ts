export interface ParallelOptions {
  /** At most so many at once. */
  parallel: number;
  signal: AbortSignal;
}

/**
 * Runs `work` for each item, several at once. The first failure ends the others through the signal that they were given
 * and is thrown once they have ended. When the items themselves fail to come, what is under way is finished first.
 */
export async function inParallel<T>(
  items: AsyncIterable<T>,
  { parallel, signal }: ParallelOptions,
  work: (item: T, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const stop = new AbortController();
  const ended = AbortSignal.any([signal, stop.signal]);
  const iterator = items[Symbol.asyncIterator]();
  let broken: { error: unknown } | undefined;
  const next = async (): Promise<IteratorResult<T>> => {
    try {
      if (broken === undefined) return await iterator.next();
    } catch (error) {
      broken ??= { error };
    }
    return { done: true, value: undefined };
  };
  const worker = async (): Promise<void> => {
    while (!ended.aborted) {
      const { done, value } = await next();
      if (done === true) return;
      await work(value, ended);
    }
  };
  const workers = Array.from({ length: parallel }, () => worker().catch((error: unknown) => stop.abort(error)));
  await Promise.all(workers);
  await iterator.return?.();
  signal.throwIfAborted();
  if (stop.signal.aborted) throw stop.signal.reason;
  if (broken !== undefined) throw broken.error;
}
