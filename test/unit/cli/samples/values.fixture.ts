import { timestampFromMs } from '../../../../src/shared/time.ts';

/** An id with these two digits at its end. */
export const id = (end: string): string => `0198${end}00-0000-7000-8000-0000000000${end}`;
export const at = (month: number, day: number, hour = 9, minute = 30) =>
  timestampFromMs(Date.UTC(2026, month - 1, day, hour, minute));
export const ME = id('01');
export const createdAt = at(2, 3);
export const updatedAt = at(3, 1, 17, 5);
/** Text as only somebody who means harm, or a careless program, would store it. */
export const HOSTILE = 'first line\nsecond\u001b[2J\u001b[31m line\t\u0007end';
export const LONG =
  'What the heating engineer said about the boiler in the cellar, and what it will cost us next winter';
export const WIDE = '東京の図面と写真、二〇二六年の改築のために集めたもの';
