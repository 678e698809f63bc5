import { type Chunk, ChunkSchema, MemorySchema } from '../../shared/gen/service/v1/memory_pb.ts';
import { encodeJson } from '../../shared/json/encode.ts';
import { plainJsonText } from '../../shared/json/plain-json.ts';
import { timestampToMs } from '../../shared/time.ts';
import { lineOf } from '../render/retrieve-card.ts';
import { memoryIdOf, type ResultEntry } from './entries.ts';

/** The JSON text of a member; undefined where a result has none. */
type Member = (entry: ResultEntry) => string | undefined;

/** What `--json` knows of a result that is short: memory and chunk whole are many times as long. */
const BRIEF: Readonly<Record<string, Member>> = {
  rank: ({ rank }) => String(rank),
  score: ({ item }) => JSON.stringify(item.relevanceScore),
  text: (entry) => textJson(chunkOf(entry)?.chunkText),
  path: (entry) => textJson(entry.memory?.metadata?.path),
  filename: (entry) => textJson(entry.memory?.metadata?.filename),
  line: (entry) => lineOf(entry)?.toString(),
  memoryId: (entry) => textJson(memoryIdOf(entry)),
  chunkId: (entry) => textJson(chunkOf(entry)?.chunkId),
  spaceId: ({ memory }) => textJson(memory?.spaceId),
  contentType: ({ memory }) => textJson(memory?.contentType),
  metadata: ({ memory }) => (memory?.metadata === undefined ? undefined : plainJsonText(memory.metadata)),
  createdAt: ({ memory }) => (memory?.createdAt === undefined ? undefined : String(timestampToMs(memory.createdAt))),
  stage: ({ stageName }) => textJson(stageName),
};

const WHOLE: Readonly<Record<string, Member>> = {
  chunk: (entry) => {
    const chunk = chunkOf(entry);
    return chunk && encodeJson(ChunkSchema, chunk);
  },
  memory: ({ memory }) => memory && encodeJson(MemorySchema, memory),
};

const MEMBERS = { ...BRIEF, ...WHOLE };

/** Names of the members of a result. */
export const RESULT_FIELDS: readonly string[] = Object.keys(MEMBERS);

/** Those of a result that is a source of an answer. */
export const SOURCE_FIELDS: readonly string[] = Object.keys(BRIEF);

/** A result as compact JSON with these members, in this order; null for those that it does not have. */
export function resultJson(entry: ResultEntry, fields: readonly string[]): string {
  return `{${fields.map((name) => `${JSON.stringify(name)}:${MEMBERS[name]?.(entry) ?? 'null'}`).join(',')}}`;
}

export function resultsJson(entries: readonly ResultEntry[], fields: readonly string[]): string {
  return `[${entries.map((entry) => resultJson(entry, fields)).join(',')}]`;
}

function chunkOf({ item: { item } }: ResultEntry): Chunk | undefined {
  return item.case === 'chunk' ? item.value : undefined;
}

function textJson(value: unknown): string | undefined {
  return typeof value === 'string' ? JSON.stringify(value) : undefined;
}
