import { EXIT, failureOf } from '../failure.ts';

/** How to go on after a run that has not done all. */
export const AGAIN = 'Run the same command again to continue; what is stored is not sent again.';

/** What stays as it is until somebody changes the input, the command, or what its key may do. */
const LASTING: readonly number[] = [EXIT.usage, EXIT.badInput, EXIT.noInput, EXIT.denied, EXIT.configuration];

/** Whether the same command may get further when it is run again. */
export function isWorthRepeating(error: unknown): boolean {
  return !LASTING.includes(failureOf(error).exit);
}
