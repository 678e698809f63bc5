/**
 * Every exit code of the program, which are those of sysexits.h where it has one, and for a signal 128 and its number.
 * Those that error codes of the service stand for are in their rows too. `bin/svc.js` alone writes the number of
 * `configuration` itself: it has to run on a Node that can load nothing of this.
 */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 64,
  badInput: 65,
  noInput: 66,
  unavailable: 69,
  bug: 70,
  output: 74,
  tryLater: 75,
  partial: 76,
  denied: 77,
  configuration: 78,
  interrupted: 130,
  terminated: 143,
} as const;
