/** In which what is being received has to make progress, unless told otherwise. */
export const PROGRESS_PERIOD_MS = 60_000;
/** A kilobyte a second: less than any connection on which anybody would send a document. */
export const MIN_PROGRESS_BYTES = 64 * 1024;

export interface Incoming {
  /** Bytes so far. */
  received(): number;
  /** Whether the sender owes nothing just now: all has come, or what came has not been taken. */
  isExcused(): boolean;
}

/**
 * Calls `onStall` once when hardly anything has come in a period although something was due. A limit on the whole would
 * break long uploads over slow lines. The returned function ends the watch.
 */
export function watchProgress(incoming: Incoming, periodMs: number, onStall: () => void): () => void {
  let seen = incoming.received();
  let isOver = false;
  const stop = () => {
    isOver = true;
    clearInterval(timer);
  };
  const judge = () => {
    const received = incoming.received();
    const came = received - seen;
    seen = received;
    if (isOver || came >= MIN_PROGRESS_BYTES || incoming.isExcused()) return;
    stop();
    onStall();
  };
  // A turn of the loop later: what came while the loop was busy is read by then.
  const timer = setInterval(() => setImmediate(judge), periodMs);
  return stop;
}
