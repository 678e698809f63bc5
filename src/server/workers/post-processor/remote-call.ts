import { fromWireError, toWireError } from '../errors.ts';
import { CallNotBegun, Unsendable } from './failures.ts';
import type { AboutCall, CallAnswer, ToModule } from './protocol.ts';
import type { Input, Tools } from './types.ts';

/** What a retrieval gives to its post processor. */
export interface CallOptions {
  config: unknown;
  tools: Tools;
  /** Ends the call, wherever it is. It must abort sooner or later: the process of the module remembers the call till then. */
  signal: AbortSignal;
}

/** What `create` of a factory came to. */
export type Created =
  | { kind: 'created'; candidates?: number; process(input: Omit<Input, 'signal'>): AsyncIterable<unknown> }
  | { kind: 'refused'; problem: string }
  | { kind: 'broken' };

/** One retrieval on the server's side of the process of a module. */
export class RemoteCall {
  readonly #id: number;
  readonly #send: (message: ToModule) => void;
  readonly #tools: Tools;
  #isBegun = false;
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

  receive(message: AboutCall): void {
    if (message.kind === 'begun') this.#isBegun = true;
    else if (message.kind === 'tool') void this.#use(message);
    else if (message.kind === 'failed') this.fail(fromWireError(message.error));
    else if (message.kind === 'unsendable') this.fail(new Unsendable(message.problem));
    else this.#settle()?.resolve(message);
  }

  /** Ends what is waited for now, or next. */
  fail(error: unknown): void {
    this.#failure ??= { error };
    this.#settle()?.reject(error);
  }

  /** The process is gone. */
  lose(error: Error): void {
    this.fail(this.#isBegun ? error : new CallNotBegun('The process of the module ended before it came to this call'));
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

  async #use({ use, name, args }: Extract<AboutCall, { kind: 'tool' }>): Promise<void> {
    try {
      // The arguments are a module's, of any type: the tools reject what they cannot use.
      const value: unknown = await Reflect.apply(this.#tools[name], this.#tools, args);
      this.#send({ kind: 'toolAnswer', id: this.#id, use, answer: { ok: true, value } });
    } catch (error) {
      this.#send({ kind: 'toolAnswer', id: this.#id, use, answer: { ok: false, error: toWireError(error) } });
    }
  }
}
