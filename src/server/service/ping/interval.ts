const JITTER = 0.2;

/** Milliseconds to the next start; with jitter up to 20 percent less or more, evenly spread. `random` is in [0, 1). */
export function nextInterval(intervalMs: number, jitter: boolean, random: () => number = Math.random): number {
  return jitter ? intervalMs * (1 + JITTER * (2 * random() - 1)) : intervalMs;
}
