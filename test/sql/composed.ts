import { parseFilter } from '../../src/server/service/filter/parse-filter.ts';
import type { Db, Queryable, Statement } from '../../src/server/store/db.ts';
import { selectChunkVectors } from '../../src/server/store/memory-chunks.ts';
import { lockMatchingMemories, selectMatchingMemories, selectMemoryList } from '../../src/server/store/memory-list.ts';
import { selectSpaceList } from '../../src/server/store/spaces.ts';
import { TypeParsers } from '../../src/server/store/type-parsers.ts';
import type { SpaceVectors } from '../../src/server/store/vector-layout.ts';
import { copyVectors } from '../../src/server/store/vector-merge.ts';
import { countOutside, createSegment, type GrownSpace, moveVectors } from '../../src/server/store/vector-promotion.ts';
import { scoreChunks, searchVectors, type VectorSearch } from '../../src/server/store/vector-search.ts';
import { createVectorTable, deleteSharedVectors } from '../../src/server/store/vector-tables.ts';
import { deleteVectors, insertVectors } from '../../src/server/store/vectors-write.ts';

/** A statement whose text depends on the call, as one call makes it. */
export interface Sample {
  name: string;
  purpose: string;
  text: string;
}

export const EMBEDDER = '0198e000-0000-7000-8000-000000000001';
const SPACE = '0198e000-0000-7000-8000-000000000002';
const MEMORY = '0198e000-0000-7000-8000-000000000003';
const KEY = { spaceId: SPACE, embedderId: EMBEDDER };
const SHARED: SpaceVectors = { ...KEY, layout: { version: 0, segments: [] } };
export const OWN: SpaceVectors = { ...KEY, layout: { version: 1, segments: [{ number: 1, state: 'INDEXED' }] } };
export const GROWN: GrownSpace = { ...SHARED, vectorCount: 6000, lastSegment: 0 };
const DIMENSIONS = 8;

/** Takes statements in place of a database, and gives no rows. */
class Recorder {
  texts: string[] = [];
  readonly queryable: Queryable = {
    query: async (statement: Statement) => this.#take(statement.text, []),
    execute: async (statement: Statement) => this.#take(statement.text, 1),
    script: async (sql: string) => this.#take(sql, undefined),
  };
  readonly db = {
    main: {
      ...this.queryable,
      pipelined: async (_settings: unknown, statement: Statement) => this.#take(statement.text, []),
    },
    searchSemaphore: { run: (work: () => Promise<unknown>) => work() },
  } as unknown as Db;

  #take<T>(text: string, answer: T): T {
    this.texts.push(text);
    return answer;
  }
}

/** What makes the tables that the samples speak of: vectors of an embedder, and a space with a segment. */
export async function sampleTables(): Promise<string[]> {
  const scripts: string[] = [];
  const q: Queryable = {
    ...new Recorder().queryable,
    script: async (sql) => void scripts.push(sql),
  };
  await createVectorTable(q, { embedderId: EMBEDDER, dimensionality: DIMENSIONS });
  await createSegment(q, GROWN, { state: 'INDEXED' });
  return scripts;
}

const vector = new Float32Array(DIMENSIONS);
const filter = parseFilter("CAST(val('$.room') AS TEXT) = 'cellar'", 'filter');
const condition = { spaceId: SPACE, status: undefined, filter };
const page = { sort: 'created_at', order: 'desc', limit: 50, after: undefined } as const;
const search: VectorSearch = {
  vectors: SHARED,
  query: vector,
  limit: 10,
  order: 'nearest',
  hnsw: undefined,
  filter: undefined,
  exactMatches: 5000,
  memories: 'any',
  bring: { chunks: 10, memories: 10 },
};
export const INDEXED_SEARCH: VectorSearch = {
  ...search,
  vectors: OWN,
  hnsw: { efSearch: 100, iterativeScan: 'relaxed_order', maxScanTuples: 20_000, scanMemMultiplier: 1 },
};

const SAMPLES: readonly (readonly [name: string, purpose: string, call: (recorder: Recorder) => Promise<unknown>])[] = [
  [
    'memory_list.select',
    'A page of the memories of a space',
    ({ queryable }) => selectMemoryList(queryable, condition, page),
  ],
  [
    'memory_list.select_matching',
    'Memories that a deletion by filter is to look at',
    ({ queryable }) => selectMatchingMemories(queryable, condition, 100),
  ],
  [
    'memory_list.lock_matching',
    'Locks those of them that still match',
    ({ queryable }) => lockMatchingMemories(queryable, condition, [MEMORY]),
  ],
  [
    'spaces.select_list',
    'A page of spaces',
    ({ queryable }) =>
      selectSpaceList(
        queryable,
        { ownerId: MEMORY, publicOnly: false, spaceIds: undefined, namePattern: 'h%', labels: {} },
        { ...page, sort: 'name' },
      ),
  ],
  ['vector_search_…', 'The nearest chunks of a space, read one by one', ({ db }) => searchVectors(db, search)],
  [
    'vector_search_…',
    'The nearest chunks of a space with an index, and of what has come since',
    ({ db }) => searchVectors(db, INDEXED_SEARCH),
  ],
  [
    'vector_search_filtered',
    'The same with a filter: only the chunks that pass it if they are few, else with a walk of the index',
    ({ db }) => searchVectors(db, { ...INDEXED_SEARCH, filter, memories: 'retrievable' }),
  ],
  [
    'vector_search_score_…',
    'The similarities of given chunks',
    ({ db }) => scoreChunks(db, search.vectors, vector, [{ memoryId: MEMORY, sequence: 0 }]),
  ],
  [
    'vectors.insert_…',
    'Adds the vectors of consecutive chunks',
    ({ queryable }) => insertVectors(queryable, { ...KEY, memoryId: MEMORY, firstSequence: 0, vectors: [vector] }, 0),
  ],
  ['vectors.delete', 'Removes the vectors of memories', ({ queryable }) => deleteVectors(queryable, OWN, [MEMORY])],
  [
    'vectors.select',
    'The vectors of given chunks',
    ({ queryable }) => selectChunkVectors(queryable, OWN, [{ memoryId: MEMORY, sequence: 0 }]),
  ],
  [
    'vector_tables.delete_shared',
    'Removes the vectors that a deleted space has among those of others',
    ({ queryable }) => deleteSharedVectors(queryable, KEY),
  ],
  [
    'vector_merge.copy',
    'Copies vectors from one segment to another, a few with each call',
    ({ queryable }) => copyVectors(queryable, OWN, { from: 1, to: 1, after: undefined, limit: 500 }),
  ],
  [
    'vector_promotion.count_outside',
    'How many vectors of a space are in no segment, up to a limit',
    ({ queryable }) => countOutside(queryable, KEY, 5001),
  ],
  [
    'vector_types',
    'The type numbers of the vector extension, looked up once',
    ({ queryable }) =>
      new TypeParsers().halfvecOid(async (text, values) => {
        await queryable.query({ name: 'vector_types', text }, values);
        return { rows: ['vector', 'halfvec', 'sparsevec'].map((typname, oid) => ({ typname, oid })) };
      }),
  ],
  [
    'vector_promotion.move',
    'Moves vectors into a segment, a few with each call',
    ({ queryable }) => moveVectors(queryable, OWN, { number: 1, after: undefined, limit: 500 }),
  ],
];

/** Each composed statement once, as a call with these arguments makes it. */
export async function composedStatements(): Promise<Sample[]> {
  const made: Sample[] = [];
  for (const [name, purpose, call] of SAMPLES) {
    const recorder = new Recorder();
    await call(recorder);
    const text = recorder.texts.at(-1);
    if (text === undefined) throw new Error(`${name} was not sent`);
    made.push({ name, purpose, text });
  }
  return made;
}
