import {
  type Chunk,
  ChunkSchema,
  MemorySchema,
  type RetrieveMemoryEvent,
} from '../../shared/gen/service/v1/memory_pb.ts';
import { encodeJson } from '../../shared/json/encode.ts';
import { plainJsonText } from '../../shared/json/plain-json.ts';
import { timestampToMs } from '../../shared/time.ts';
import type { EventWriter } from '../kit/output/event-writer.ts';
import type { Io, Selection } from '../kit/output/io.ts';
import { writeSelection } from '../kit/output/records.ts';
import { lineOf } from './card.ts';
import { type Entry, memoryIdOf, type ResultEntry, readerOf, sourcesOf } from './entries.ts';
import { explainTable, noteText } from './lines.ts';

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
const SOURCE_FIELDS: readonly string[] = Object.keys(BRIEF);

/** A result as compact JSON with these members, in this order; null for those that it does not have. */
function resultJson(entry: ResultEntry, fields: readonly string[]): string {
  return `{${fields.map((name) => `${JSON.stringify(name)}:${MEMBERS[name]?.(entry) ?? 'null'}`).join(',')}}`;
}

function resultsJson(entries: readonly ResultEntry[], fields: readonly string[]): string {
  return `[${entries.map((entry) => resultJson(entry, fields)).join(',')}]`;
}

function chunkOf({ item: { item } }: ResultEntry): Chunk | undefined {
  return item.case === 'chunk' ? item.value : undefined;
}

function textJson(value: unknown): string | undefined {
  return typeof value === 'string' ? JSON.stringify(value) : undefined;
}

interface SelectedOptions {
  io: Io;
  selection: Selection;
  /** The question: the line of a result is that of the sentence which has most of its words. */
  message: string;
}

/** What a retrieval found, once all of it is here. */
interface Collected {
  results: readonly ResultEntry[];
  /** Undefined when no summary came. */
  summary: string | undefined;
}

/** Names of the members of an answer. */
export const ANSWER_FIELDS: readonly string[] = ['answer', 'sources', 'results'];

/** Writes the results as one array, with the members that are wanted of each. */
export function selectedResults(options: SelectedOptions): EventWriter<RetrieveMemoryEvent> {
  const { io, selection } = options;
  return collecting(options, async ({ results, summary }) => {
    // No flag asked for it: a post processor of the server made it.
    if (summary !== undefined)
      await io.stderr.write('note: there is a summary too, which --json does not write; -o json does\n');
    await writeSelection(io, selection, resultsJson(results, selection.fields));
  });
}

/** Writes an answer as one object, with the members that are wanted of it; a source has those of a result that are short. */
export function selectedAnswer(options: SelectedOptions): EventWriter<RetrieveMemoryEvent> {
  const { io, selection } = options;
  return collecting(options, async ({ results, summary }) => {
    const sources = summary === undefined ? [] : sourcesOf(summary, results);
    const members: Readonly<Record<string, string>> = {
      answer: JSON.stringify(summary ?? null),
      sources: resultsJson(sources, SOURCE_FIELDS),
      results: resultsJson(results, SOURCE_FIELDS),
    };
    const picked = selection.fields.map((name) => `${JSON.stringify(name)}:${members[name] ?? 'null'}`);
    await writeSelection(io, selection, `{${picked.join(',')}}`);
  });
}

/** Remarks go to stderr as they come. A stream that does not come to its end gives nothing: a part would look whole. */
function collecting(
  { io, message }: SelectedOptions,
  write: (found: Collected) => Promise<void>,
): EventWriter<RetrieveMemoryEvent> {
  const reader = readerOf({ message, answers: false });
  const results: ResultEntry[] = [];
  let summary: string | undefined;
  const take = async (entry: Entry): Promise<void> => {
    if (entry.kind === 'result') results.push(entry);
    if (entry.kind === 'summary') summary = entry.text;
    if (entry.kind === 'note') await io.stderr.write(`${noteText(entry.status)}\n`);
    if (entry.kind === 'explain') await io.stderr.write(explainTable(entry.details, { width: io.width, color: false }));
  };
  return {
    event: async (event) => {
      for (const entry of reader.read(event)) await take(entry);
    },
    end: async (ending = 'complete') => {
      if (ending === 'complete') await write({ results, summary });
    },
  };
}
