/** A batch is answered before the next one shows progress, so it is kept well below what a call may carry. */
const MOST_ITEMS = 50;
const MOST_BYTES = 2 * 1024 * 1024;

/**
 * Puts neighbours together into batches that one call carries; what is larger than a batch goes alone. When the items
 * fail to come, those that came are a last batch before the failure is thrown.
 */
export async function* batched<T extends { bytes: number }>(
  items: AsyncIterable<T> | Iterable<T>,
): AsyncGenerator<T[]> {
  let batch: T[] = [];
  let bytes = 0;
  let broken: { error: unknown } | undefined;
  try {
    for await (const item of items) {
      if (batch.length > 0 && (batch.length === MOST_ITEMS || bytes + item.bytes > MOST_BYTES)) {
        yield batch;
        batch = [];
        bytes = 0;
      }
      batch.push(item);
      bytes += item.bytes;
    }
  } catch (error) {
    broken = { error };
  }
  if (batch.length > 0) yield batch;
  if (broken !== undefined) throw broken.error;
}
