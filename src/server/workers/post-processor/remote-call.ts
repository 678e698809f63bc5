import { fromWireError, toWireError } from '../errors.ts';
import type { CallAnswer, CallMessage, ToModule } from './protocol.ts';
import type { Input, Tools } from './types.ts';

/** The process of a module has exited, so its running calls failed. */
export class ModuleExited extends Error {}

/** The process of a module did not respond for so long that it was killed. */
export class ModuleUnresponsive extends Error {}

/** The process exited before it started this call, so a new process can run it. */
export class CallNotStarted extends Error {}

/** An output that cannot be sent to the server. */
export class Unsendable extends Error {}

/** What a retrieval passes to its post processor. */
export interface RemoteCallOptions {
  config: unknown;
  tools: Tools;
  /** Ends the call at any point. It must abort eventually, since the process of the module keeps the call until then. */
  signal: AbortSignal;
}

/** The outcome of `create` of a factory. */
export type Created =
  | { kind: 'created'; candidates?: number; process(input: Omit<Input, 'signal'>): AsyncIterable<unknown> }
  | { kind: 'refused'; problem: string }
  | { kind: 'broken' };

/** The server's side of one call in the process of a module. */
export class RemoteCall {
  readonly #id: number;
  readonly #send: (message: ToModule) => void;
  readonly #tools: Tools;
  #isStarted = false;
  #waiting: { resolve(answer: CallAnswer): void; reject(error: unknown): void } | undefined;
  #failure: { error: unknown } | undefined;

  constructor(id: number, tools: Tools, send: (message: ToModule) => void) {
    this.#id = id;
    this.#tools = tools;
    this.#send = send;
  }

  async create(factory: string, config: unknown): Promise<Created> {
    const answer = await this.#ask({ kind: 'create', id: this.#id, factory, config });
    if (answer.kind === 'created') return { ...answer, process: (input) => this.#process(input) };
    if (answer.kind === 'refused' || answer.kind === 'broken') return answer;
    throw new Error(`The module answered create with ${answer.kind}`);
  }

  receive(message: CallMessage): void {
    if (message.kind === 'started') this.#isStarted = true;
    else if (message.kind === 'tool') void this.#use(message);
    else if (message.kind === 'failed') this.fail(fromWireError(message.error));
    else if (message.kind === 'unsendable') this.fail(new Unsendable(message.problem));
    else this.#settle()?.resolve(message);
  }

  /** Rejects the pending request, or the next one. */
  fail(error: unknown): void {
    this.#failure ??= { error };
    this.#settle()?.reject(error);
  }

  /** To be called when the process has exited. */
  lose(error: Error): void {
    this.fail(this.#isStarted ? error : new CallNotStarted('The process of the module ended before this call started'));
  }

  async *#process(input: Omit<Input, 'signal'>): AsyncIterable<unknown> {
    this.#send({ kind: 'process', id: this.#id, input });
    for (;;) {
      const answer = await this.#ask({ kind: 'next', id: this.#id });
      if (answer.kind !== 'output') return;
      yield answer.value;
    }
  }

  #ask(message: ToModule): Promise<CallAnswer> {
    return new Promise((resolve, reject) => {
      if (this.#failure !== undefined) throw this.#failure.error;
      this.#waiting = { resolve, reject };
      this.#send(message);
    });
  }

  #settle() {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    return waiting;
  }

  async #use({ use, name, args }: Extract<CallMessage, { kind: 'tool' }>): Promise<void> {
    try {
      // The arguments come from the module and may have any type: the tools validate them.
      const value: unknown = await Reflect.apply(this.#tools[name], this.#tools, args);
      this.#send({ kind: 'toolAnswer', id: this.#id, use, answer: { ok: true, value } });
    } catch (error) {
      this.#send({ kind: 'toolAnswer', id: this.#id, use, answer: { ok: false, error: toWireError(error) } });
    }
  }
}
