import { serialize } from 'node:v8';
import { isObject } from '../../../shared/json/parse.ts';
import { fromWireError } from '../errors.ts';
import type { CallAnswer, CallMessage, ToModule, ToolAnswer, ToolName } from './protocol.ts';
import { reportable } from './reportable.ts';
import type { PostProcessor, PostProcessorFactory, Tools } from './types.ts';

type Settle = Record<'resolve' | 'reject', (value: unknown) => void>;

/** One retrieval inside the process of the module, where it runs next to the module's own code. */
export class ModuleCall {
  readonly #id: number;
  readonly #send: (message: CallMessage) => void;
  readonly #ending = new AbortController();
  readonly #uses = new Map<number, Settle>();
  #lastUse = 0;
  #processor: PostProcessor | undefined;
  #outputs: AsyncIterator<unknown> | undefined;

  #isOver = false;

  constructor(id: number, send: (message: CallMessage) => void) {
    this.#id = id;
    this.#send = send;
  }

  /** The call has ended or failed, so later errors of it are not its result. */
  get isOver(): boolean {
    return this.#isOver;
  }

  create(factory: PostProcessorFactory | undefined, config: unknown): void {
    this.#send({ kind: 'started', id: this.#id });
    // The file may have changed since the server started.
    if (factory === undefined) this.fail(new Error('The module no longer exports this factory'));
    else this.#answer(this.#created(factory, config));
  }

  process(input: Extract<ToModule, { kind: 'process' }>['input']): void {
    try {
      this.#outputs = this.#processor?.process({ ...input, signal: this.#ending.signal })[Symbol.asyncIterator]();
    } catch (error) {
      this.fail(error);
    }
  }

  async next(): Promise<void> {
    if (this.#outputs === undefined) return;
    try {
      const { done, value } = await this.#outputs.next();
      if (done !== true) return this.#output(value);
      this.#isOver = true;
      this.#answer({ kind: 'done' });
    } catch (error) {
      this.fail(error);
    }
  }

  toolAnswered(use: number, answer: ToolAnswer): void {
    const waiting = this.#uses.get(use);
    this.#uses.delete(use);
    if (answer.ok) waiting?.resolve(answer.value);
    else waiting?.reject(fromWireError(answer.error));
  }

  fail(error: unknown): void {
    this.#isOver = true;
    this.#answer({ kind: 'failed', error: reportable(error) });
  }

  /** Aborts the call. A generator that is awaiting something of its own returns only after that. */
  end(reason: string): void {
    const error = new Error(reason);
    this.#ending.abort(error);
    for (const waiting of this.#uses.values()) waiting.reject(error);
    this.#uses.clear();
    const outputs = this.#outputs;
    void (async () => outputs?.return?.())().catch(() => {});
  }

  #created(factory: PostProcessorFactory, config: unknown): CallAnswer {
    try {
      const processor: unknown = factory.create(config, this.#tools());
      if (!isPostProcessor(processor)) return { kind: 'broken' };
      this.#processor = processor;
      const { candidates } = processor;
      return { kind: 'created', ...(typeof candidates === 'number' ? { candidates } : {}) };
    } catch (error) {
      return {
        kind: 'refused',
        problem: error instanceof Error ? reportable(error).message : 'the post processor refuses it',
      };
    }
  }

  #output(value: unknown): void {
    try {
      this.#answer({ kind: 'output', value: withinSizeLimit(value) });
    } catch (error) {
      this.#answer({ kind: 'unsendable', problem: reportable(error).message });
    }
  }

  #answer(answer: CallAnswer): void {
    this.#send({ id: this.#id, ...answer });
  }

  #tools(): Tools {
    const use = (name: ToolName, args: unknown[]) => this.#use(name, args);
    return {
      rerank: (...args) => use('rerank', args) as Promise<number[]>,
      complete: (...args) => use('complete', args) as Promise<string>,
    };
  }

  /** Rejects when the call has ended, or an argument cannot be sent. */
  async #use(name: ToolName, args: unknown[]): Promise<unknown> {
    this.#ending.signal.throwIfAborted();
    const use = ++this.#lastUse;
    const answer = new Promise((resolve, reject) => this.#uses.set(use, { resolve, reject }));
    try {
      this.#send({ kind: 'tool', id: this.#id, use, name, args: withinSizeLimit(args) });
    } catch (error) {
      this.#uses.delete(use);
      throw error;
    }
    return await answer;
  }
}

function isPostProcessor(value: unknown): value is PostProcessor {
  return isObject(value) && typeof value.process === 'function';
}

/** Reading a larger message would block the server's event loop: 400 MB took six seconds. */
const MAX_BYTES = 16_777_216;

/** Returns the value. Throws when it cannot be serialized or is too large to be sent. */
function withinSizeLimit<T>(value: T): T {
  const { byteLength } = serialize(value);
  if (byteLength > MAX_BYTES) throw new Error(`It has ${byteLength} bytes; at most ${MAX_BYTES} can be sent`);
  return value;
}
