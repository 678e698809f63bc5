import {
  ChunkSchema,
  type Memory,
  MemorySchema,
  type RetrieveMemoryEvent,
} from '../../../shared/gen/service/v1/memory_pb.ts';
import { decodeJson } from '../../../shared/json/decode.ts';
import { isObject } from '../../../shared/json/parse.ts';
import { statusEventOf } from '../retrieval/events.ts';
import type { ResultItem } from '../retrieval/results.ts';

/** The most that a retrieval can request. */
const MAX_ITEMS = 1000;
const MAX_STATUSES = 100;
const MAX_TEXT = 1_048_576;

/** A malformed output: an error of the post processor. */
export class BadOutput extends Error {}

/** Collects the outputs of a post processor, converted to messages. */
export class Outputs {
  readonly items: ResultItem[] = [];
  readonly memories = new Map<string, Memory>();
  readonly statuses: RetrieveMemoryEvent[] = [];
  abstract: string | undefined;

  /** Throws `BadOutput`. */
  add(output: unknown): void {
    const [kind, ...others] = isObject(output) ? Object.keys(output) : [];
    const value = kind === undefined ? undefined : (output as Record<string, unknown>)[kind];
    if (others.length > 0 || !isObject(value))
      throw new BadOutput('An output must have exactly one of item, status and abstract');
    if (kind === 'item') this.#item(value);
    else if (kind === 'status') this.#status(value);
    else if (kind === 'abstract') this.#abstract(value);
    else throw new BadOutput('An output must have exactly one of item, status and abstract');
  }

  #item({ chunk, memory: given, score }: Record<string, unknown>): void {
    if (this.items.length >= MAX_ITEMS) throw new BadOutput(`There are more than ${MAX_ITEMS} items`);
    if (typeof score !== 'number' || !Number.isFinite(score))
      throw new BadOutput('The score of an item is not a number');
    const memory = decoded('memory', () => decodeJson(MemorySchema, given));
    const record = chunk === undefined ? undefined : decoded('chunk', () => decodeJson(ChunkSchema, chunk));
    if (memory.memoryId === '') throw new BadOutput('A memory has no memoryId');
    if (record !== undefined && record.memoryId !== memory.memoryId) {
      throw new BadOutput('A chunk does not belong to the memory of the same item');
    }
    const item =
      record === undefined ? { case: 'memory' as const, value: memory } : { case: 'chunk' as const, value: record };
    if (!this.memories.has(memory.memoryId)) this.memories.set(memory.memoryId, memory);
    this.items.push({ memoryId: memory.memoryId, item, score });
  }

  #status({ code, message = '', details = {} }: Record<string, unknown>): void {
    if (this.statuses.length >= MAX_STATUSES) throw new BadOutput(`There are more than ${MAX_STATUSES} statuses`);
    if (typeof code !== 'string' || !/^[A-Z][A-Z0-9_]{0,63}$/.test(code)) throw new BadOutput('A status has no code');
    if (typeof message !== 'string' || !isTextMap(details)) throw new BadOutput('A status is malformed');
    this.statuses.push(statusEventOf({ code, message, details }));
  }

  #abstract({ text }: Record<string, unknown>): void {
    if (this.abstract !== undefined) throw new BadOutput('There is more than one abstract');
    if (typeof text !== 'string' || text.length > MAX_TEXT)
      throw new BadOutput('The text of an abstract is missing or too long');
    this.abstract = text;
  }
}

function decoded<T>(what: string, decode: () => T): T {
  try {
    return decode();
  } catch (cause) {
    throw new BadOutput(`The ${what} of an item is not a valid ${what} record`, { cause });
  }
}

function isTextMap(value: unknown): value is Record<string, string> {
  return isObject(value) && Object.values(value).every((entry) => typeof entry === 'string');
}
