/** Parse, Bind, Describe, Execute, Close, Flush: the messages of the extended protocol that nothing is ready after. */
const EXTENDED = new Set(['P', 'B', 'D', 'E', 'C', 'H'].map((type) => type.charCodeAt(0)));
/** ReadyForQuery without its last byte, the transaction status. */
const READY = [0x5a, 0, 0, 0, 5];
const READY_LENGTH = READY.length + 1;

/**
 * PostgreSQL answers an error in the extended protocol with ErrorResponse and says ReadyForQuery at the Sync that
 * follows. PGlite 0.4 says it in both places; the client takes the second one for the end of its next statement, and
 * all later answers are off by one. This drops the early one from `data`, the answer to `message`.
 */
export function withoutEarlyReady(message: Uint8Array, data: Uint8Array): Uint8Array {
  if (!EXTENDED.has(message[0] ?? 0)) return data;
  const start = data.length - READY_LENGTH;
  // A text result cannot hold these zero bytes, so they are a message and not the end of a row.
  return start >= 0 && READY.every((byte, index) => data[start + index] === byte) ? data.subarray(0, start) : data;
}
