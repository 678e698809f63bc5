import { serialize } from 'node:v8';

/** What is larger would keep the server busy reading it, and everybody else waiting: 400 MB took it six seconds. */
const MAX_BYTES = 16_777_216;

/** Returns the value when the server can take it. Throws for one that is too large, or that cannot be sent at all. */
export function bounded<T>(value: T): T {
  const { byteLength } = serialize(value);
  if (byteLength > MAX_BYTES) throw new Error(`It has ${byteLength} bytes; at most ${MAX_BYTES} can be sent`);
  return value;
}
