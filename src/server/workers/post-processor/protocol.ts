import type { WireError } from '../errors.ts';
import type { Input, Tools } from './types.ts';

/** Messages from the server to the process of a module. Each retrieval that uses the module is a call with its own id. */
export type ToModule =
  | { kind: 'create'; id: number; factory: string; config: unknown }
  /** Has no answer; `next` requests the outputs. */
  | { kind: 'process'; id: number; input: Omit<Input, 'signal'> }
  /** Requests one output (back-pressure: the module produces only what the server consumes). */
  | { kind: 'next'; id: number }
  | { kind: 'toolAnswer'; id: number; use: number; answer: ToolAnswer }
  /** Cancels the call. */
  | { kind: 'end'; id: number; reason: string }
  | { kind: 'ping' };

export type ToolName = keyof Tools;
export type ToolAnswer = { ok: true; value: unknown } | { ok: false; error: WireError };

/** Messages from the process to the server. */
export type FromModule = Loaded | CallMessage | Fault | { kind: 'pong' };

export type Loaded =
  /** The name of each exported factory, null for one that is no factory. */
  { kind: 'loaded'; factories: (string | null)[] } | { kind: 'unusable'; problem: string };

export type CallMessage =
  /** Sent right before the module's own code runs. */
  | { kind: 'started'; id: number }
  | ({ id: number } & CallAnswer)
  | { kind: 'tool'; id: number; use: number; name: ToolName; args: unknown[] };

export type CallAnswer =
  | { kind: 'created'; candidates?: number }
  | { kind: 'refused'; problem: string }
  /** `create` returned no post processor. */
  | { kind: 'broken' }
  | { kind: 'output'; value: unknown }
  | { kind: 'done' }
  /** May come without a request: an uncaught exception or unhandled rejection of the call. */
  | { kind: 'failed'; error: WireError }
  /** The output cannot be serialized, for example a function. */
  | { kind: 'unsendable'; problem: string };

/** An error outside of any running call. */
interface Fault {
  kind: 'fault';
  error: WireError;
}
