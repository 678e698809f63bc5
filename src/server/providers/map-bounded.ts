/** Maps with at most `limit` items in work. After the first failure nothing new starts, and `abandon` is called. */
export async function mapBounded<T>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<void>,
  abandon: () => void,
): Promise<void> {
  let next = 0;
  const failures: unknown[] = [];
  const worker = async () => {
    while (failures.length === 0) {
      const item = items[next++];
      if (item === undefined) return;
      try {
        await work(item);
      } catch (error) {
        // Later failures are those of the abandoned.
        failures.push(error);
        abandon();
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  if (failures.length > 0) throw failures[0];
}
