import type { Io } from '../io.ts';
import { durationText } from '../render/duration-text.ts';
import { oneLine } from '../render/printable.ts';
import { Frame } from './frame.ts';

/** Where the refreshes of a watched command go. */
export interface Display {
  /** Shows what the work writes. Throws what it throws; a frame then keeps what it showed. */
  refresh(work: (io: Io) => Promise<unknown>): Promise<void>;
  /** Says that what is shown is no longer fresh, and why. */
  stale(reason: string): Promise<void>;
  end(): Promise<void>;
}

/** `everyMs` is the time between two refreshes. */
export function openDisplay(io: Io, everyMs: number): Display {
  const selects = io.selection !== undefined;
  if (io.terminal !== undefined && !selects) return inPlace(io, io.terminal, everyMs);
  // Programs that follow read lines.
  return appended(selects ? { ...io, records: 'ndjson' } : io);
}

function inPlace(io: Io, terminal: NonNullable<Io['terminal']>, everyMs: number): Display {
  const frame = new Frame(terminal.stdout, io.stdout);
  const release = io.onContinue(() => frame.startAgain());
  const seconds = everyMs / 1000;
  let freshAt = io.now();
  return {
    async refresh(work) {
      let text = '';
      const sink = {
        write: async (data: string | Uint8Array) => {
          text += typeof data === 'string' ? data : Buffer.from(data).toString();
        },
      };
      await work({ ...io, width: terminal.stdout.columns, stdout: sink, stderr: sink });
      freshAt = io.now();
      await frame.show(text.trimEnd().split('\n'), `Every ${seconds} s. Ctrl-C ends it.`);
    },
    stale: (reason) =>
      frame.say(`Not refreshed for ${durationText(io.now() - freshAt)}, trying again: ${oneLine(reason)}`),
    end: () => {
      release();
      return frame.end();
    },
  };
}

/** One below the other. Remarks that a refresh only repeats are not said again. */
function appended(io: Io): Display {
  let count = 0;
  let said = '';
  const say = async (text: string): Promise<void> => {
    if (text !== said && text !== '') await io.stderr.write(text);
    said = text;
  };
  return {
    async refresh(work) {
      let remarks = '';
      const stderr = {
        write: async (data: string | Uint8Array) => {
          remarks += Buffer.from(data).toString();
        },
      };
      const isFirst = count === 0;
      count += 1;
      let isBegun = isFirst || io.isData;
      const stdout = {
        write: async (data: string | Uint8Array) => {
          if (!isBegun) await io.stdout.write('\n');
          isBegun = true;
          await io.stdout.write(data);
        },
      };
      await work({ ...io, stdout, stderr });
      await say(remarks);
    },
    stale: (reason) => say(`svc: Not refreshed, trying again: ${oneLine(reason)}\n`),
    end: async () => {},
  };
}
