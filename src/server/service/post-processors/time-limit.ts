export interface TimeLimit {
  /** Of everything that is done for one retrieval; aborted when the time of a piece of it is up. */
  scope: AbortController;
  timeoutMs: number;
}

/** Runs work that ends with the scope's signal, and sees to it that it does in time. */
export async function withinTime<T>({ scope, timeoutMs }: TimeLimit, work: () => Promise<T>): Promise<T> {
  const timer = setTimeout(() => scope.abort(new Error('The post processor took too long')), timeoutMs);
  try {
    return await work();
  } finally {
    clearTimeout(timer);
  }
}
