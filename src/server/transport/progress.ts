import { ServiceError } from '../../shared/errors.ts';

/** The default period in which a message or body has to make progress. */
export const PROGRESS_PERIOD_MS = 60_000;
/** About a kilobyte a second, slower than any connection that is used to send documents. */
const MIN_PROGRESS_BYTES = 64 * 1024;
/** Allocated memory has to be filled within so many periods. */
const PERIODS_TO_FILL = 15;

interface Incoming {
  /** Bytes received so far. */
  received(): number;
  /** Bytes of memory that are allocated for it. */
  held(): number;
  /** Whether nothing is expected from the sender: everything has arrived, or the server has not read what did. */
  isExcused(): boolean;
}

/**
 * Calls `onStall` once, with details for the error, when too few bytes arrived in a period although some were due. A
 * limit on the whole time would break long uploads over slow connections. The returned function ends the watch.
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
    // A message that began within the period had less time.
    const required = Math.max(MIN_PROGRESS_BYTES, Math.ceil(Math.min(held, heldBefore) / PERIODS_TO_FILL));
    heldBefore = held;
    if (isOver || came >= required || incoming.isExcused()) return;
    stop();
    onStall(`less than ${required} bytes in ${periodMs / 1000} s`);
  };
  // One turn of the event loop later, when what arrived while the loop was busy has been read.
  const timer = setInterval(() => setImmediate(judge), periodMs);
  return stop;
}

/** What was being received stalled; `details` are those of `onStall`. */
export function timedOut(what: 'body' | 'message', details: string): ServiceError {
  return new ServiceError('INVALID_REQUEST', `The request ${what} timed out`, { details });
}
