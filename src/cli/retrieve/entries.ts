import type { Status } from '../../shared/gen/service/v1/common_pb.ts';
import type { Memory, RetrievedItem, RetrieveMemoryEvent } from '../../shared/gen/service/v1/memory_pb.ts';
import { ResultSetBoundary_Kind as BoundaryKind } from '../../shared/gen/service/v1/retrieve_pb.ts';
import { bestSentence, questionWords, type Sentence } from './matches.ts';

/** Something that was found. */
export interface ResultEntry {
  readonly kind: 'result';
  /** Its place in the stream, from 1: what a [1] of the summary points at. */
  readonly rank: number;
  readonly item: RetrievedItem;
  /** Undefined when the records of the memories were not asked for. */
  readonly memory: Memory | undefined;
  /** What the scores come from: `vector_search`, `rerank` … */
  readonly stageName: string;
  /** The words that were looked for. */
  readonly question: readonly string[];
  /** The sentence of the chunk that has most of them. */
  readonly best: Sentence | undefined;
}

/** The summary, and where the results are its sources those that it names. */
export interface SummaryEntry {
  readonly kind: 'summary';
  readonly text: string;
  readonly sources?: readonly ResultEntry[];
}

/** What a person reads of a retrieval, in the order of the stream. */
export type Entry =
  | ResultEntry
  | { readonly kind: 'note'; readonly status: Status }
  | { readonly kind: 'explain'; readonly details: Readonly<Record<string, string>> }
  | SummaryEntry
  | { readonly kind: 'nothing' };

/** How far a stream has come. */
export interface RetrievalProgress {
  /** "" before the results begin. */
  readonly stageName: string;
  /** Results so far. */
  readonly results: number;
  /** How many there will be; undefined until the server has said it. */
  readonly expected: number | undefined;
  /** All results are here. */
  readonly hasEnded: boolean;
  /** What has come of a summary that is being written. */
  readonly writing: string;
  /** The summary is here, or a remark about why there is none. */
  readonly isAnswered: boolean;
  /** Every embedder failed, so that nothing was searched. */
  readonly isUnsearched: boolean;
}

const START: RetrievalProgress = {
  stageName: '',
  results: 0,
  expected: undefined,
  hasEnded: false,
  writing: '',
  isAnswered: false,
  isUnsearched: false,
};

export interface EntryReader {
  /** What the event shows: nothing, or an entry, or what was held back until now. */
  read(event: RetrieveMemoryEvent): readonly Entry[];
  /** What is still held back when the stream is over. */
  end(): readonly Entry[];
  readonly progress: RetrievalProgress;
}

/** The reader for a question: results as they come, or where `answers`, the answer with its sources. */
export function readerOf({ message, answers }: { message: string; answers: boolean }): EntryReader {
  return answers ? answerReader(message) : entryReader(message);
}

/** Holds the results back until the answer that is made of them is here, or nothing more can come of it. */
function answerReader(message: string): EntryReader {
  const reader = entryReader(message);
  let held: ResultEntry[] = [];
  const release = (): ResultEntry[] => {
    const results = held;
    held = [];
    return results;
  };
  const sorted = (entry: Entry): readonly Entry[] => {
    if (entry.kind === 'result') held.push(entry);
    if (entry.kind === 'result') return [];
    if (entry.kind === 'summary') return [{ ...entry, sources: sourcesOf(entry.text, release()) }];
    return entry.kind === 'note' && reader.progress.isAnswered ? [entry, ...release()] : [entry];
  };
  return {
    get progress() {
      return reader.progress;
    },
    read: (event) => reader.read(event).flatMap(sorted),
    end: release,
  };
}

/** The results that a summary names as [1] or [2, 3]; all of them where it names none. */
export function sourcesOf(text: string, results: readonly ResultEntry[]): readonly ResultEntry[] {
  const ranks = new Set(
    [...text.matchAll(/\[(\d+(?:\s*,\s*\d+)*)\]/g)].flatMap(([, list = '']) => list.split(',').map(Number)),
  );
  const found = results.filter(({ rank }) => ranks.has(rank));
  return found.length > 0 ? found : results;
}

function entryReader(message: string): EntryReader {
  const question = questionWords(message);
  const memories = new Map<string, Memory>();
  let progress = START;
  const advance = (change: Partial<RetrievalProgress>): void => {
    progress = { ...progress, ...change };
  };
  const entryOf = (event: RetrieveMemoryEvent['event']): Entry | undefined => {
    switch (event.case) {
      case 'memoryDefinition':
        memories.set(event.value.memoryId, event.value);
        return undefined;
      case 'resultSetBoundary': {
        const { kind, stageName, expectedItems } = event.value;
        if (kind !== BoundaryKind.END) advance({ stageName, expected: expectedItems });
        else advance({ hasEnded: true });
        return kind === BoundaryKind.END && progress.results === 0 ? { kind: 'nothing' } : undefined;
      }
      case 'retrievedItem': {
        advance({ results: progress.results + 1 });
        const { item } = event.value;
        return {
          kind: 'result',
          rank: progress.results,
          item: event.value,
          memory: memoryOf(event.value, memories),
          stageName: progress.stageName,
          question,
          best: item.case === 'chunk' ? bestSentence(item.value.chunkText, question) : undefined,
        };
      }
      case 'abstractReply':
        advance({ isAnswered: true, writing: '' });
        return { kind: 'summary', text: event.value.text };
      case 'abstractDelta':
        advance({ writing: `${progress.writing}${event.value.text}`.trimStart() });
        return undefined;
      case 'status':
        advance({
          isAnswered: progress.isAnswered || progress.hasEnded,
          writing: '',
          isUnsearched: progress.isUnsearched || event.value.code === 'EMBEDDER_FAILED',
        });
        return entryOfStatus(event.value);
      default:
        return undefined;
    }
  };
  return {
    get progress() {
      return progress;
    },
    read: ({ event }) => {
      const entry = entryOf(event);
      return entry === undefined ? [] : [entry];
    },
    end: () => [],
  };
}

function entryOfStatus(status: Status): Entry | undefined {
  if (status.code === 'EXPLAIN') return { kind: 'explain', details: status.details };
  // Without an LLM no summary was asked for.
  if (status.code === 'FEATURE_DISABLED' && status.details.feature === 'summarization') return undefined;
  return { kind: 'note', status };
}

function memoryOf({ item }: RetrievedItem, memories: ReadonlyMap<string, Memory>): Memory | undefined {
  return item.case === 'memory' ? item.value : memories.get(item.value?.memoryId ?? '');
}

/** The memory that an entry is about. */
export function memoryIdOf(entry: Entry): string | undefined {
  return entry.kind === 'result' ? entry.item.item.value?.memoryId : undefined;
}
