import type { WireError } from '../errors.ts';
import type { Input, Tools } from './types.ts';

/** What the process of a module is told. Each retrieval that uses it is a call with an id of its own. */
export type ToModule =
  | { kind: 'create'; id: number; factory: string; config: unknown }
  /** Answered by nothing; `next` asks for the outputs. */
  | { kind: 'process'; id: number; input: Omit<Input, 'signal'> }
  /** Asks for one output, so that no more of them are made than are taken. */
  | { kind: 'next'; id: number }
  | { kind: 'toolAnswer'; id: number; use: number; answer: ToolAnswer }
  /** Nothing of this call is wanted any more. */
  | { kind: 'end'; id: number; reason: string }
  | { kind: 'ping' };

export type ToolName = keyof Tools;
export type ToolAnswer = { ok: true; value: unknown } | { ok: false; error: WireError };

/** What it says. */
export type FromModule = Loaded | AboutCall | Fault | { kind: 'pong' };

export type Loaded =
  /** The name of each exported factory, null for one that is no factory. */
  { kind: 'loaded'; factories: (string | null)[] } | { kind: 'unusable'; problem: string };

export type AboutCall =
  /** The first line of the module's own code comes next. */
  | { kind: 'begun'; id: number }
  | ({ id: number } & CallAnswer)
  | { kind: 'tool'; id: number; use: number; name: ToolName; args: unknown[] };

export type CallAnswer =
  | { kind: 'created'; candidates?: number }
  | { kind: 'refused'; problem: string }
  /** `create` gave no post processor. */
  | { kind: 'broken' }
  | { kind: 'output'; value: unknown }
  | { kind: 'done' }
  /** Also when nobody has asked: an error that the call threw into the blue. */
  | { kind: 'failed'; error: WireError }
  /** The output was nothing that can be sent, such as a function. */
  | { kind: 'unsendable'; problem: string };

/** An error that no call under way has to answer for. */
export interface Fault {
  kind: 'fault';
  error: WireError;
}
