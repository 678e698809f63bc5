import { randomUUID } from 'node:crypto';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import type { CallContext, Caller } from '../../../src/server/context.ts';
import { createTargetClients } from '../../../src/server/providers/clients.ts';
import { createProviderHttp } from '../../../src/server/providers/http.ts';
import { parseFilter } from '../../../src/server/service/filter/parse-filter.ts';
import { createLlmHandlers } from '../../../src/server/service/llms/handlers.ts';
import { createRerankerHandlers } from '../../../src/server/service/rerankers/handlers.ts';
import { type CandidateRequest, findCandidates } from '../../../src/server/service/retrieval/candidates.ts';
import { createRetrieveHandlers } from '../../../src/server/service/retrieval/handlers.ts';
import type { SpacePlan } from '../../../src/server/service/retrieval/plan.ts';
import { type RetrievalObserver, StageTimes } from '../../../src/server/service/retrieval/stage-times.ts';
import { createTargetOpener } from '../../../src/server/service/targets/open-target.ts';
import { createPromptTemplates } from '../../../src/server/service/templates/prompt-templates.ts';
import { halfvecArray, int4Array, textArray, uuidArray } from '../../../src/server/store/binary.ts';
import { selectSpaceEmbedders } from '../../../src/server/store/space-embedders.ts';
import type { HnswSettings } from '../../../src/server/store/vector-search.ts';
import { vectorTable } from '../../../src/server/store/vector-tables.ts';
import { createWorkerPool } from '../../../src/server/workers/pool.ts';
import type { PostProcessorModule } from '../../../src/server/workers/post-processor/module.ts';
import { RetrieveMemoryEventSchema } from '../../../src/shared/gen/service/v1/memory_pb.ts';
import { decodeJson } from '../../../src/shared/json/decode.ts';
import { encodeJson } from '../../../src/shared/json/encode.ts';
import { OPERATIONS } from '../../../src/shared/operations/table.ts';
import { openLog } from '../../support/log.ts';
import { LOOPBACK_POLICY } from '../../support/loopback-policy.ts';
import { useOpened } from '../../support/opened.ts';
import { OpenAiStandIn } from '../../support/stand-ins/openai.ts';
import { openAi } from '../embedder.fixture.ts';
import { createWorld, dropWorld, SECRETS_KEY, signal, sql, type World } from '../identity.fixture.ts';

/** Far beyond what the stand-in takes; a test of time-outs gives a shorter one. */
const EMBED_TIMEOUT_MS = 10_000;

/** Threads run compiled code. */
const ENTRY = new URL('../../../dist/server/workers/thread.js', import.meta.url);

export const HNSW: HnswSettings = {
  efSearch: 100,
  iterativeScan: 'strict_order',
  maxScanTuples: 20_000,
  scanMemMultiplier: 1,
};

/** A memory written as processing would have left it. */
export interface GivenMemory {
  /** For each chunk its vectors, one for each embedder of the space. */
  chunks: readonly (readonly Float32Array[])[];
  metadata?: object;
  status?: string;
  createdAt?: Date;
  expiresAt?: Date;
}

interface FoundChunk {
  memoryId: string;
  sequence: number;
  score: number;
}

export interface RetrievalWorld extends World {
  standIn: OpenAiStandIn;
  /** What the observer of retrievals was told, in order: `stage ok`, `stage failed`, codes of statuses. */
  observed: string[];
  /** By name; add what a test needs. */
  postProcessors: Map<string, PostProcessorModule>;
  /** A new embedder of ada's that the stand-in serves. */
  embedder(dimensions?: number, more?: object): Promise<string>;
  /** A new COHERE reranker of ada's at that address. */
  reranker(endpointUrl: string, more?: object): Promise<string>;
  /** A new VLLM model of ada's at that address. */
  llm(endpointUrl: string, more?: object): Promise<string>;
  space(embedders: readonly (string | { embedderId: string; weight: number })[], more?: object): Promise<string>;
  /** Writes memories straight into the tables. Returns their ids. */
  add(spaceId: string, memories: readonly GivenMemory[]): Promise<string[]>;
  /** What a retrieval would search, with the weights of the space. */
  plan(spaceId: string, filter?: string): Promise<SpacePlan>;
  /** Searches with these vectors for the questions. */
  find(
    plan: readonly SpacePlan[],
    vectors: Readonly<Record<string, Float32Array>>,
    more?: Partial<CandidateRequest>,
  ): Promise<{ chunks: FoundChunk[]; statuses: string[]; scans: string[] }>;
  /** The events of a retrieval one by one, in the JSON form. */
  open(request: RetrieveRequest, more?: RetrieveMore): AsyncIterable<Json>;
  /** All of them. */
  retrieve(request: RetrieveRequest, more?: RetrieveMore): Promise<Json[]>;
  end(): Promise<void>;
}

interface RetrieveMore {
  caller?: Caller;
  signal?: AbortSignal;
  /** Bound of the calls to every provider. */
  timeoutMs?: number;
  /** Called with each event as it comes. */
  onEvent?: (event: Json) => void;
}

type RetrieveRequest = MessageInitShape<typeof OPERATIONS.retrieveMemory.rpc.input>;
// biome-ignore lint/suspicious/noExplicitAny: the shape of an event is what the tests assert
type Json = any;

/** Such a world for the tests of a file; its members can be read once the tests run. */
export const useRetrievalWorld = (dimensions?: number): RetrievalWorld =>
  useOpened(
    () => createRetrievalWorld(dimensions),
    (world) => world.end(),
  );

async function createRetrievalWorld(dimensions = 8): Promise<RetrievalWorld> {
  const world = await createWorld();
  const { db, ada } = world;
  const standIn = await OpenAiStandIn.start({ dimensions });
  const http = createProviderHttp({ policy: LOOPBACK_POLICY });
  const builtin = () => Promise.reject(new Error('the worker of the embedder died'));
  const observed: string[] = [];
  const observe: RetrievalObserver = {
    stageEnded: (stage, _durationMs, ok) => observed.push(`${stage} ${ok ? 'ok' : 'failed'}`),
    statusSent: (code) => observed.push(code),
  };
  const postProcessors = new Map<string, PostProcessorModule>();
  const templateWorkers = createWorkerPool({ size: 1, entry: ENTRY });
  const templates = createPromptTemplates(templateWorkers);
  const handlers = (timeoutMs: number) => {
    const clients = createTargetClients({ http, timeoutMs, builtin });
    return createRetrieveHandlers({
      db,
      targets: createTargetOpener({ pool: db.main, secretsKey: SECRETS_KEY, clients }),
      templates,
      postProcessors,
      providerTimeoutMs: timeoutMs,
      observe,
    });
  };
  const log = openLog();
  const targetDeps = { db, secretsKey: SECRETS_KEY, policy: LOOPBACK_POLICY };
  const rerankerHandlers = createRerankerHandlers(targetDeps);
  const llmHandlers = createLlmHandlers(targetDeps);
  const callBase = { requestId: 'test', signal, caller: ada, initToken: undefined, files: undefined, log };
  const open: RetrievalWorld['open'] = async function* (request, { timeoutMs = EMBED_TIMEOUT_MS, ...more } = {}) {
    const operation = OPERATIONS.retrieveMemory;
    const context: CallContext = { ...callBase, operation, ...more };
    const events = handlers(timeoutMs).retrieveMemory(create(operation.rpc.input, request), context);
    for await (const event of events) yield JSON.parse(encodeJson(RetrieveMemoryEventSchema, event)) as Json;
  };
  return {
    ...world,
    standIn,
    observed,
    postProcessors,
    async embedder(size = dimensions, more = {}) {
      const request = { ...openAi({ dimensionality: size, endpointUrl: `${standIn.url}/v1` }), ...more };
      return (await world.call('createEmbedder', request, ada)).embedderId;
    },
    async reranker(endpointUrl, more = {}) {
      const operation = OPERATIONS.createReranker;
      const body = { displayName: 'r', providerType: 'COHERE', modelIdentifier: randomUUID(), endpointUrl, ...more };
      const request = decodeJson(operation.rpc.input, body);
      return (await rerankerHandlers.createReranker(request, { ...callBase, operation })).rerankerId;
    },
    async llm(endpointUrl, more = {}) {
      const operation = OPERATIONS.createLLM;
      const body = { displayName: 'l', providerType: 'VLLM', modelIdentifier: randomUUID(), endpointUrl, ...more };
      const { llm } = await llmHandlers.createLLM(decodeJson(operation.rpc.input, body), { ...callBase, operation });
      return llm?.llmId ?? '';
    },
    async space(embedders, more = {}) {
      const spaceEmbedders = embedders.map((item) =>
        typeof item === 'string'
          ? { embedderId: item }
          : { embedderId: item.embedderId, defaultRetrievalWeight: item.weight },
      );
      const request = { name: randomUUID(), spaceEmbedders, ...more };
      return (await world.call('createSpace', request, ada)).spaceId;
    },
    add: (spaceId, memories) => addMemories(world, spaceId, memories),
    async plan(spaceId, filter = '') {
      const embedders = await selectSpaceEmbedders(db.main, [spaceId]);
      return {
        spaceId,
        embedders: embedders.map((row) => ({ ...row, weight: row.defaultRetrievalWeight })),
        filter: parseFilter(filter, 'filter'),
      };
    },
    async find(plan, vectors, more = {}) {
      const request = {
        plan,
        vectors: new Map(Object.entries(vectors)),
        hnsw: HNSW,
        size: 20,
        maxPerMemory: 0,
        memories: true,
      };
      const stages = new StageTimes();
      const found = await findCandidates(db, { ...request, explain: true, stages, signal, log, ...more });
      return {
        chunks: found.chunks.map(({ chunk, score }) => ({
          memoryId: chunk.memoryId,
          sequence: chunk.sequence,
          score,
        })),
        statuses: found.statuses.map(({ event }) => (event.case === 'status' ? event.value.code : '')),
        scans: [...found.scans.values()],
      };
    },
    open,
    async retrieve(request, more) {
      const events: Json[] = [];
      for await (const event of open(request, more)) {
        events.push(event);
        more?.onEvent?.(event);
      }
      return events;
    },
    async end() {
      await templateWorkers.close();
      await http.close();
      await standIn.close();
      await dropWorld(world);
    },
  };
}

async function addMemories({ db, ada }: World, spaceId: string, memories: readonly GivenMemory[]): Promise<string[]> {
  const ids = memories.map(() => randomUUID());
  await sql(
    db,
    `insert into memory (space_id, memory_id, content_id, content_length, content_sha256, content_type,
       processing_status, metadata, chunk_count, expires_at, created_at, updated_at, created_by_id, updated_by_id)
     select $1, id, gen_random_uuid(), 0, ''::bytea, 'text/plain', status, metadata::jsonb, chunks, expires, created,
       created, $2, $2
     from unnest($3::uuid[], $4::text[], $5::text[], $6::int4[], $7::timestamptz[], $8::timestamptz[])
       as item (id, status, metadata, chunks, expires, created)`,
    [
      spaceId,
      ada.userId,
      uuidArray(ids),
      textArray(memories.map(({ status = 'COMPLETED' }) => status)),
      textArray(memories.map(({ metadata = {} }) => JSON.stringify(metadata))),
      int4Array(memories.map(({ chunks }) => chunks.length)),
      memories.map(({ expiresAt }) => expiresAt ?? null),
      memories.map(({ createdAt }) => createdAt ?? new Date()),
    ],
  );
  const chunks = memories.flatMap(({ chunks: own }, index) =>
    own.map((vectors, sequence) => ({ memoryId: ids[index] ?? '', sequence, vectors })),
  );
  const keys = [
    spaceId,
    uuidArray(chunks.map(({ memoryId }) => memoryId)),
    int4Array(chunks.map(({ sequence }) => sequence)),
  ];
  await sql(
    db,
    `insert into chunk (space_id, memory_id, sequence, chunk_id, text, start_offset, end_offset, vector_status,
       created_at, updated_at)
     select $1, id, sequence, gen_random_uuid(), 'chunk ' || sequence, 0, 7, 'COMPLETED', now(), now()
     from unnest($2::uuid[], $3::int4[]) as item (id, sequence)`,
    keys,
  );
  const oid = await db.halfvecOid();
  for (const [index, { embedderId }] of (await selectSpaceEmbedders(db.main, [spaceId])).entries()) {
    const vectors = chunks.map((chunk) => chunk.vectors[index] ?? new Float32Array());
    await sql(
      db,
      `insert into ${vectorTable(embedderId)} (space_id, indexed, memory_id, sequence, embedding)
       select $1, false, id, sequence, embedding
       from unnest($2::uuid[], $3::int4[], $4::halfvec[]) as item (id, sequence, embedding)`,
      [...keys, halfvecArray(oid, vectors)],
    );
  }
  const text = 'update space_embedder set vector_count = vector_count + $2 where space_id = $1';
  await sql(db, text, [spaceId, chunks.length]);
  return ids;
}

/** A unit vector in the plane of the first two axes, this many degrees from the first. */
export function at(degrees: number, dimensions = 8): Float32Array {
  const vector = new Float32Array(dimensions);
  vector[0] = Math.cos((degrees * Math.PI) / 180);
  vector[1] = Math.sin((degrees * Math.PI) / 180);
  return vector;
}

/** Unit vectors that are the same in every run. */
export function randomVectors(count: number, dimensions: number, seed: number): Float32Array[] {
  let state = seed;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
  return Array.from({ length: count }, () => {
    const values = Array.from({ length: dimensions }, next);
    const length = Math.hypot(...values);
    return Float32Array.from(values, (value) => value / length);
  });
}

export function cosine(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);
}
