/** Before that a rate says more about the first call than about the rest. */
const FIRST_ESTIMATE_MS = 2000;

/** `12 s left`, when `share` of the work, from 0 to 1, took so long; undefined before that can be told. */
export function timeLeft(share: number, ms: number): string | undefined {
  if (share <= 0 || share >= 1 || ms < FIRST_ESTIMATE_MS) return undefined;
  const seconds = Math.max(1, Math.round((ms / share) * (1 - share) * 0.001));
  if (seconds < 100) return `${seconds} s left`;
  return `${seconds < 6000 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`} left`;
}
