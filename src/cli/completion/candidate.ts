import { oneLine } from '../kit/text/printable.ts';

/** One way to go on. */
export interface Candidate {
  /** As it is typed, without quotes. */
  readonly value: string;
  /** One line; "" when there is nothing to say. */
  readonly text: string;
}

/** The shell knows its files best. */
export const FILES = ':files';

/**
 * Whether a value can be typed for what it is: one with a control character cannot, one that could be a flag, or the sign
 * for files, would be taken for that.
 */
export function isTypeable(value: string): boolean {
  return value !== '' && value === oneLine(value) && !value.startsWith('-') && value !== FILES;
}
