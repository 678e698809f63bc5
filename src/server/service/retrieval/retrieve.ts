import type { RetrieveMemoryEvent, RetrieveMemoryRequest } from '../../../shared/gen/service/v1/memory_pb.ts';
import type { CallContext } from '../../context.ts';
import type { Db } from '../../store/db.ts';
import { selectMemories } from '../../store/memories.ts';
import type { MemoryRow } from '../../store/memory-row.ts';
import { type ChunkKey, type NeighborRow, selectNeighbors } from '../../store/retrieved-chunks.ts';
import type { Handlers } from '../handlers.ts';
import { chunkMessage } from '../memories/chunk-message.ts';
import { wholeContent } from '../memories/content-source.ts';
import { memoryMessage } from '../memories/memory-message.ts';
import { newId } from '../resource-ids.ts';
import { type Candidates, findCandidates, type RankedChunk } from './candidates.ts';
import { beginEvent, endEvent, itemEvent, memoryEvent, type StatusCode, statusEvent } from './events.ts';
import type { RetrievalObserver } from './observer.ts';
import { hnswSettings, planSpaces, type SpacePlan } from './plan.ts';
import { type PostProcessing, postProcessing } from './post-processor.ts';
import { embedQuery, type QueryVectorDeps } from './query-vectors.ts';
import { StageTimes } from './stage-times.ts';

export interface RetrieveDeps extends QueryVectorDeps {
  db: Db;
  observe?: RetrievalObserver | undefined;
}

export function createRetrieveHandlers(deps: RetrieveDeps): Pick<Handlers, 'retrieveMemory'> {
  return { retrieveMemory: (request, context) => observed(retrieve(deps, request, context), deps.observe) };
}

async function* observed(
  events: AsyncIterable<RetrieveMemoryEvent>,
  observe: RetrievalObserver | undefined,
): AsyncIterable<RetrieveMemoryEvent> {
  for await (const message of events) {
    // Every status is made by `statusEvent`, which knows its codes.
    if (message.event.case === 'status') observe?.statusSent(message.event.value.code as StatusCode);
    yield message;
  }
}

/**
 * One retrieval as a stream: remarks, BEGIN, each memory before its first item, END. Everything that can be wrong with
 * the request is found before the first event.
 */
async function* retrieve(
  deps: RetrieveDeps,
  request: RetrieveMemoryRequest,
  context: CallContext,
): AsyncIterable<RetrieveMemoryEvent> {
  const plan = await planSpaces(deps.db, request, context);
  const processing = postProcessing(request);
  const stages = new StageTimes();
  const answer = await findAnswer(deps, { request, plan, processing, stages }, context);
  const resultSetId = newId();
  yield* processing.statuses;
  yield* answer.statuses;
  yield beginEvent(resultSetId, 'vector_search', answer.results.chunks.length);
  yield* itemEvents(deps, request, answer.results, resultSetId, context.signal);
  yield endEvent(resultSetId);
  if (request.explain) yield explain(plan, answer.candidates, stages);
}

interface Question {
  request: RetrieveMemoryRequest;
  plan: readonly SpacePlan[];
  processing: PostProcessing;
  stages: StageTimes;
}

interface Answer {
  candidates: Candidates;
  results: Results;
  statuses: RetrieveMemoryEvent[];
}

async function findAnswer(deps: RetrieveDeps, question: Question, context: CallContext): Promise<Answer> {
  const { request, plan, processing, stages } = question;
  const { signal, log } = context;
  try {
    const query = await stages.run('embed', () => embedQuery(deps, request.message, plan, context));
    if (query.statuses.length > 0) stages.fail('embed');
    const candidates = await findCandidates(deps.db, {
      plan,
      vectors: query.vectors,
      hnsw: hnswSettings(request),
      size: processing.candidates,
      maxPerMemory: request.maxPerMemory,
      explain: request.explain,
      stages,
      signal,
      log,
    });
    const shown = processing.process(candidates.chunks);
    const results = await stages.run('load', () => loadResults(deps, request, shown, signal));
    return { candidates, results, statuses: [...query.statuses, ...candidates.statuses] };
  } finally {
    // A stage that its caller cut short says nothing about the server.
    if (!signal.aborted && deps.observe !== undefined) stages.report(deps.observe);
  }
}

/** What is streamed, loaded to the end, so that BEGIN can say how many items follow. */
interface Results {
  chunks: readonly RankedChunk[];
  memories: ReadonlyMap<string, MemoryRow>;
  /** By the chunk that they are next to, see `keyOf`; undefined when nobody asked. */
  neighbors: ReadonlyMap<string, NeighborRow[]> | undefined;
}

async function loadResults(
  { db }: RetrieveDeps,
  request: RetrieveMemoryRequest,
  chunks: readonly RankedChunk[],
  signal: AbortSignal,
): Promise<Results> {
  const keys = chunks.map(({ chunk }) => chunk);
  const [loaded, neighbors] = await Promise.all([
    request.fetchMemory === false || keys.length === 0 ? [] : selectMemories(db.main, idsOf(keys), { signal }),
    request.neighbors === 0 ? undefined : neighborsOf(db, keys, request.neighbors, signal),
  ]);
  // A memory deleted since the search takes its chunks with it.
  const memories = new Map(loaded.map((memory) => [memory.memoryId, memory]));
  const alive = request.fetchMemory === false ? chunks : chunks.filter(({ chunk }) => memories.has(chunk.memoryId));
  return { chunks: alive, memories, neighbors };
}

async function neighborsOf(db: Db, keys: readonly ChunkKey[], distance: number, signal: AbortSignal) {
  const neighbors = new Map<string, NeighborRow[]>(keys.map((key) => [keyOf(key), []]));
  if (keys.length === 0) return neighbors;
  for (const row of await selectNeighbors(db.main, keys, distance, { signal })) {
    neighbors.get(keyOf({ memoryId: row.memoryId, sequence: row.ofSequence }))?.push(row);
  }
  return neighbors;
}

const keyOf = ({ memoryId, sequence }: { memoryId: string; sequence: number }) => `${memoryId}/${sequence}`;

function idsOf(keys: readonly { memoryId: string }[]): string[] {
  return [...new Set(keys.map(({ memoryId }) => memoryId))];
}

async function* itemEvents(
  deps: RetrieveDeps,
  request: RetrieveMemoryRequest,
  { chunks, memories, neighbors }: Results,
  resultSetId: string,
  signal: AbortSignal,
): AsyncIterable<RetrieveMemoryEvent> {
  const indexes = new Map<string, number>();
  for (const { chunk, score } of chunks) {
    const known = indexes.get(chunk.memoryId);
    const memoryIndex = known ?? indexes.size;
    if (known === undefined) {
      indexes.set(chunk.memoryId, memoryIndex);
      const memory = memories.get(chunk.memoryId);
      if (memory !== undefined) yield* definition(deps, request, memory, signal);
    }
    yield itemEvent({
      chunk: chunkMessage(chunk, { neighbors: neighbors?.get(keyOf(chunk)) }),
      memoryIndex,
      relevanceScore: score,
      resultSetId,
    });
  }
}

async function* definition(
  { db }: RetrieveDeps,
  { fetchMemoryContent }: RetrieveMemoryRequest,
  memory: MemoryRow,
  signal: AbortSignal,
): AsyncIterable<RetrieveMemoryEvent> {
  let content: Uint8Array | undefined;
  if (fetchMemoryContent) {
    try {
      content = await wholeContent(db.main, memory, signal);
    } catch {
      signal.throwIfAborted();
      const details = { memory_id: memory.memoryId };
      yield statusEvent('MEMORY_CONTENT_UNAVAILABLE', 'The content of a memory could not be read', details);
    }
  }
  yield memoryEvent(memoryMessage(memory, { content }));
}

function explain(plan: readonly SpacePlan[], candidates: Candidates, stages: StageTimes): RetrieveMemoryEvent {
  const scans = plan.map(({ spaceId }) => [`space.${spaceId}`, candidates.scans.get(spaceId) ?? '']);
  return statusEvent('EXPLAIN', 'How the results were found', {
    embedMs: stages.ms('embed').toFixed(2),
    searchMs: stages.ms('vector_search').toFixed(2),
    loadMs: stages.ms('load').toFixed(2),
    candidates: String(candidates.chunks.length),
    ...Object.fromEntries(scans),
  });
}
