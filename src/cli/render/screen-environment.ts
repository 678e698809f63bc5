import type { Io } from '../kit/output/io.ts';

/** Tells the libraries of the screens what was decided here. They look once, when they are loaded: call it before that. */
export function prepareScreens({ terminal, color }: Pick<Io, 'terminal' | 'color'>): void {
  if (terminal === undefined) return;
  // Under CI there is a terminal only when it was asked for by name; Ink would draw nothing before its end.
  terminal.env.CI = 'false';
  // Ink's colours do not know NO_COLOR, and stop at the mere presence of CI. Only the 16 named ones are used.
  terminal.env.FORCE_COLOR = color ? (terminal.env.FORCE_COLOR ?? '1') : '0';
}
