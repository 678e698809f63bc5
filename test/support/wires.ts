import { createHash } from 'node:crypto';
import type { Wire } from './wire.ts';

export const WIRES = ['REST', 'gRPC'] as const satisfies readonly Wire['name'][];

/** Where a real PostgreSQL is given, as in CI, every case is played over both wires, on that database and on the embedded one. */
const ON_BOTH = process.env.SVC_TEST_WIRES === 'both' || (process.env.TEST_DATABASE_URL ?? '') !== '';

/**
 * Whether a case is played over that wire. The rules of the service know no wire, so without a real PostgreSQL each case
 * is played over one of the two, which its name decides: half of all over each, in half the time.
 */
export function isPlayedOver(wire: Wire['name'], name: string): boolean {
  if (ON_BOTH) return true;
  const [first = 0] = createHash('sha256').update(name).digest();
  return WIRES[first % WIRES.length] === wire;
}
