/** What has to go before the program ends, in the order in which it was made. */
const pending: (() => Promise<void>)[] = [];

/**
 * Registers what removes a process, a database or a directory. It runs once: when the returned function is called, or else
 * when the program ends, fails or is interrupted.
 */
export function atEnd(remove: () => Promise<void>): () => Promise<void> {
  pending.push(remove);
  return async () => {
    const index = pending.indexOf(remove);
    if (index < 0) return;
    pending.splice(index, 1);
    await remove();
  };
}

/** Removes what is left, the latest first, and reports what cannot be removed. */
export async function removeAll(): Promise<void> {
  for (let remove = pending.pop(); remove !== undefined; remove = pending.pop()) {
    await remove().catch((error: unknown) => console.error('not removed:', error));
  }
}
