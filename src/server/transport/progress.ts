/** In which what is being received has to make progress, unless told otherwise. */
export const PROGRESS_PERIOD_MS = 60_000;
/** A kilobyte a second: less than any connection on which anybody would send a document. */
const MIN_PROGRESS_BYTES = 64 * 1024;
/** Who keeps memory from others has to fill it in so many periods. */
const PERIODS_TO_FILL = 15;

export interface Incoming {
  /** Bytes so far. */
  received(): number;
  /** Bytes of memory that are set aside for it. */
  held(): number;
  /** Whether the sender owes nothing just now: all has come, or what came has not been taken. */
  isExcused(): boolean;
}

/**
 * Calls `onStall` once when too little has come in a period although something was due, and says how that is told. A
 * limit on the whole would break long uploads over slow lines. The returned function ends the watch.
 */
export function watchProgress(incoming: Incoming, periodMs: number, onStall: (details: string) => void): () => void {
  let seen = incoming.received();
  let heldBefore = incoming.held();
  let isOver = false;
  const stop = () => {
    isOver = true;
    clearInterval(timer);
  };
  const judge = () => {
    const received = incoming.received();
    const came = received - seen;
    seen = received;
    const held = incoming.held();
    // What began in the middle of the period had less time.
    const required = Math.max(MIN_PROGRESS_BYTES, Math.ceil(Math.min(held, heldBefore) / PERIODS_TO_FILL));
    heldBefore = held;
    if (isOver || came >= required || incoming.isExcused()) return;
    stop();
    onStall(`less than ${required} bytes in ${periodMs / 1000} s`);
  };
  // A turn of the loop later: what came while the loop was busy is read by then.
  const timer = setInterval(() => setImmediate(judge), periodMs);
  return stop;
}
