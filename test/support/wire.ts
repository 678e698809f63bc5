import type { ErrorCode } from '../../src/shared/errors.ts';
import type { OperationKey } from '../../src/shared/operations/table.ts';

/** What came back from a call, in the JSON form of REST whatever the wire was. */
export type Answer =
  | { ok: true; body: Json; events: Json[] }
  | { ok: false; code: ErrorCode; message: string; details: string; events: Json[] };

// A response is looked into freely: its shape is what the tests are about.
// biome-ignore lint/suspicious/noExplicitAny: the shape of a response is what the tests assert
export type Json = any;

export interface CallOptions {
  key?: string | undefined;
  initToken?: string;
  signal?: AbortSignal;
}

/** One of the two wires. A scenario is written once against this and run over both. */
export interface Wire {
  name: 'REST' | 'gRPC';
  /** Calls an operation. `request` is the JSON form with path, query and body members in one object. */
  call(operation: OperationKey, request?: Readonly<Record<string, unknown>>, options?: CallOptions): Promise<Answer>;
  close(): void;
}
