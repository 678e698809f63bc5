import { sleep } from '../../shared/async/sleep.ts';
import { hasCode } from '../client/has-code.ts';
import type { Command } from '../command.ts';
import { failureOf, usageError } from '../failure.ts';
import type { Flag } from '../flags/flag.ts';
import { inGroup } from '../flags/group.ts';
import { single, toggle } from '../flags/kinds.ts';
import { durationMs } from '../flags/time.ts';
import type { Io } from '../io.ts';
import { type Display, openDisplay } from './display.ts';

const DEFAULT_INTERVAL_MS = 2000;
const LEAST_INTERVAL_MS = 100;
/** A timer of Node holds 24.8 days; one that is longer ends at once. */
const MOST_INTERVAL_MS = 86_400_000;

const INTERVAL: Flag<number | undefined> = single(
  '--interval <seconds>',
  'Between two refreshes: 5, 0.5, 1m (default 2)',
  (text, name) => {
    const ms = durationMs(text);
    if (ms !== undefined && ms >= LEAST_INTERVAL_MS && ms <= MOST_INTERVAL_MS) return ms;
    throw usageError(`${name} must be from 0.1 seconds to a day, such as 5, 0.5 or 1m, got "${text}"`);
  },
);

const FLAGS = inGroup('Watching', {
  watch: toggle('-w, --watch', 'Show it again and again until Ctrl-C, without a pager'),
  interval: INTERVAL,
});

const NOTES =
  'With --watch it never ends by itself: Ctrl-C ends it with 130. A terminal shows the latest state in place, cut to its height; elsewhere, with --plain and in the JSON forms every refresh is written below the one before. A server that cannot be reached, is too busy or too slow is asked again, and the last line (elsewhere stderr) says so; any other failure ends it, and so does any failure of the first call.';

/** The same command with `--watch`, which shows again and again what it shows. */
export function watchable(record: Command): Command {
  return {
    ...record,
    notes: record.notes === undefined ? NOTES : `${record.notes} ${NOTES}`,
    flags: { ...record.flags, ...FLAGS },
    async run(context, { args, flags: { watch, interval, ...flags } }) {
      if (watch !== true) {
        if (interval !== undefined) throw usageError('--interval needs --watch');
        return record.run(context, { args, flags });
      }
      const everyMs = (interval as number | undefined) ?? DEFAULT_INTERVAL_MS;
      // Connected before anything is drawn: remarks about the connection stay above it.
      await context.client();
      return watching(context.io, everyMs, (io) => record.run({ ...context, io }, { args, flags }));
    },
  };
}

/** Refreshes until a failure ends it; Ctrl-C is one. */
async function watching(io: Io, everyMs: number, refresh: (io: Io) => Promise<unknown>): Promise<never> {
  const display = openDisplay(io, everyMs);
  try {
    await display.refresh(refresh);
    for (;;) {
      await sleep(everyMs, io.signal);
      await again(display, refresh, io.signal);
    }
  } finally {
    await display.end();
  }
}

async function again(display: Display, refresh: (io: Io) => Promise<unknown>, signal: AbortSignal): Promise<void> {
  try {
    await display.refresh(refresh);
  } catch (error) {
    if (!hasCode(error, 'UNAVAILABLE', 'RESOURCE_EXHAUSTED', 'DEADLINE_EXCEEDED')) throw error;
    const { message, details } = failureOf(error);
    await display.stale(details === '' ? message : `${message}: ${details}`);
    // What the server asked for, beyond the interval.
    await sleep(Math.min((error.retryAfterSeconds ?? 0) * 1000, MOST_INTERVAL_MS), signal);
  }
}
