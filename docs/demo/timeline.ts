import type { Frame } from './frame.ts';

/**
 * The frames that are worth showing, from 0 on: without those that last shorter than `shortest` milliseconds, which are
 * half-drawn pictures, and without those that show the same as the one before.
 */
export function edited(frames: readonly Frame[], shortest: number): Frame[] {
  const start = frames[0]?.at ?? 0;
  const result: Frame[] = [];
  let shown = '';
  for (const [index, frame] of frames.entries()) {
    const next = frames[index + 1];
    if (next !== undefined && next.at - frame.at < shortest) continue;
    const picture = JSON.stringify([frame.rows, frame.cursor]);
    if (picture !== shown) result.push({ ...frame, at: result.length === 0 ? 0 : frame.at - start });
    shown = picture;
  }
  return result;
}
