import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { embedLexical } from '../src/server/providers/builtin/embed-lexical.ts';
import { type Figures, interleaved, loaded } from './measure.ts';
import { installed } from './peer.ts';
import { DIMENSIONS } from './raw-tables.ts';
import { atLeast, type Table, table } from './report.ts';
import { restRetrieve, SIZE } from './retrievers.ts';
import type { Service } from './service.ts';
import { random, text } from './texts.ts';

const VERSION = '3.3.1';
/** Its library for PostgreSQL, and one that it loads although its history is off. */
const BESIDE = ['pg@8.16.3', 'better-sqlite3@12.6.2'];
const MEMORIES = 5000;
const ADDED = 1000;
const CLIENTS = 8;
const LOAD_MS = 2000;
const QUESTIONS = 200;
const PEER = `mem0 ${VERSION}`;
/** Its searches also rank words, in PostgreSQL without an index; without that they are many times as fast. */
const VECTORS = `${PEER}, vectors only`;
const BATCHES = 'svc, batchCreate';
const SINGLY = `svc, one by one from ${CLIENTS} clients`;

/**
 * The TypeScript package of mem0 with its pgvector store, in the database of the service and in the process of who measures,
 * so that it answers without a wire. Both embed by the same function in process. No language model is asked, and mem0 keeps no
 * history, which makes it faster.
 */
export async function* benchMem0(service: Service): AsyncGenerator<Table> {
  const next = random(5);
  const texts = Array.from({ length: MEMORIES }, () => text(next, 400));
  const added = texts.slice(0, ADDED);
  const questions = Array.from({ length: QUESTIONS }, () => text(next, 60));
  const mem0 = await openMem0(service.databaseUrl);
  await loadedOnce(texts, (memory) => mem0.add(memory, { userId: 'searched', infer: false }));
  const { spaceId, embedderId } = await service.space('mem0', DIMENSIONS);
  await service.store(spaceId, texts, 250);
  const layout = await service.layout({ spaceId, embedderId });
  const rest = restRetrieve(service, { spaceId, embedderId, dimensions: DIMENSIONS, layout });
  const load = { clients: CLIENTS, ms: LOAD_MS };
  const { keywordSearch } = mem0.vectorStore;
  const searches = await interleaved({
    [PEER]: () => loaded(load, questions, (question) => search(mem0, question)),
    [VECTORS]: async () => {
      mem0.vectorStore.keywordSearch = undefined;
      const figures = await loaded(load, questions, (question) => search(mem0, question));
      mem0.vectorStore.keywordSearch = keywordSearch;
      return figures;
    },
    svc: () => loaded(load, questions, rest.run),
  });
  await rest.close();
  yield table(`Search ${MEMORIES.toLocaleString('en')} memories × ${DIMENSIONS}, ${CLIENTS} clients`, searches, {
    svc: [{ over: VECTORS, by: 'QPS', promise: atLeast(4, 8) }],
  });
  const adds = await interleaved({
    [PEER]: (round) =>
      rate(() => loadedOnce(added, (memory) => mem0.add(memory, { userId: `added${round}`, infer: false }))),
    [BATCHES]: async (round) => {
      const space = await service.space(`mem0, batches ${round}`, DIMENSIONS);
      return rate(() => service.store(space.spaceId, added, 250));
    },
    [SINGLY]: async (round) => {
      const space = await service.space(`mem0, singly ${round}`, DIMENSIONS);
      return rate(async () => {
        await loadedOnce(added, (memory) => service.remember(space.spaceId, memory));
        await service.allCompleted(space.spaceId);
      });
    },
  });
  yield table(`Add ${ADDED.toLocaleString('en')} memories × ${DIMENSIONS}, until all can be retrieved`, adds, {
    [BATCHES]: [{ over: PEER, by: 'memories/s', promise: atLeast(3, 6) }],
    [SINGLY]: [{ over: PEER, by: 'memories/s', promise: atLeast(3, 8) }],
  });
}

interface Mem0 {
  vectorStore: { keywordSearch: unknown };
  add(memory: string, options: { userId: string; infer: boolean }): Promise<unknown>;
  search(query: string, options: object): Promise<{ results: unknown[] }>;
}

async function openMem0(connectionString: string): Promise<Mem0> {
  const directory = await installed([`mem0ai@${VERSION}`, ...BESIDE]);
  process.env.MEM0_TELEMETRY = 'false';
  process.env.MEM0_DIR = directory;
  const file = pathToFileURL(join(directory, 'node_modules/mem0ai/dist/oss/index.mjs'));
  const { Memory } = (await import(file.href)) as { Memory: new (config: object) => Mem0 };
  const embed = async (query: string) => [...embedLexical([query], DIMENSIONS, 'query')];
  const model = { embedQuery: embed, embedDocuments: (queries: string[]) => Promise.all(queries.map(embed)) };
  return new Memory({
    embedder: { provider: 'langchain', config: { model } },
    vectorStore: {
      provider: 'pgvector',
      config: { collectionName: 'mem0', connectionString, dimension: DIMENSIONS, embeddingModelDims: DIMENSIONS },
    },
    // Never asked.
    llm: { provider: 'openai', config: { apiKey: 'unused' } },
    disableHistory: true,
  });
}

async function search(mem0: Mem0, question: string): Promise<void> {
  const { results } = await mem0.search(question, { topK: SIZE, threshold: 0, filters: { user_id: 'searched' } });
  if (results.length !== SIZE) throw new Error(`mem0 found ${results.length} memories`);
}

/** Calls once with each input, from several clients. */
async function loadedOnce<T>(inputs: readonly T[], call: (input: T) => Promise<unknown>): Promise<void> {
  const left = inputs.values();
  await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      for (const input of left) await call(input);
    }),
  );
}

/** How many of the added memories a second. */
async function rate(run: () => Promise<unknown>): Promise<Figures> {
  const started = performance.now();
  await run();
  return { 'memories/s': (ADDED / (performance.now() - started)) * 1000 };
}
