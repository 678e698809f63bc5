import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { Agent, request } from 'undici';
import { vectorParts } from '../src/server/store/vector-layout.ts';
import { atEnd } from './at-end.ts';
import { clustered } from './clustered.ts';
import type { Corpora, Corpus } from './corpus.ts';
import { interleaved, loaded } from './measure.ts';
import { installed } from './peer.ts';
import { atLeast, atMost, type Table, table } from './report.ts';
import { restRetrieve, SIZE } from './retrievers.ts';
import type { ChunkKey, Service } from './service.ts';

/** The last whose binary runs with the C library of Debian 12. Its server calls itself 1.0.0. */
const VERSION = '1.0.5';
/** Its server with its command line, for this platform. */
const PACKAGE = `chromadb-js-bindings-${process.platform}-${process.arch}${process.platform === 'linux' ? '-gnu' : ''}`;
const BATCH = 1000;
const CLIENTS = 8;
const LOAD_MS = 2000;
const EF_SEARCH = [10, 20, 30, 40, 60, 80, 100, 150, 200, 300];
const START_POLLS = 100;

/**
 * The server of Chroma with the same texts and vectors, asked for as many of the nearest: with the vector of a question, or
 * with one that its client gets from the embedder first. The service is asked with the question and calls the embedder itself.
 */
export async function* benchChroma(service: Service, corpora: Corpora): AsyncGenerator<Table> {
  const corpus = await corpora.of(100_000, 384);
  const client = new pg.Client(service.databaseUrl);
  await client.connect();
  const rest = restRetrieve(service, corpus);
  const chroma = await Chroma.start();
  await chroma.fill(client, corpus);
  const svcRecall = await corpora.recall(client, corpus, (question) =>
    service.retrieved(corpus.spaceId, question, SIZE),
  );
  const { efSearch, recall } = await chroma.tune(svcRecall, () =>
    corpora.recall(client, corpus, (question) => chroma.found(corpus.vector(question))),
  );
  await client.end();
  const bodies = corpus.questions.map((question) => queryBody(corpus.vector(question)));
  const peer = `Chroma 1.0.0, efSearch ${efSearch}`;
  const embedding = `${peer}, after a call of the embedder`;
  const load = { clients: CLIENTS, ms: LOAD_MS };
  const rounds = await interleaved({
    [peer]: async () => ({ ...(await loaded(load, bodies, (body) => chroma.query(body))), 'recall@10': recall }),
    [embedding]: () =>
      loaded(load, corpus.questions, async (question) => chroma.query(queryBody(await embedded(corpus, question)))),
    svc: async () => ({ ...(await loaded(load, corpus.questions, rest.run)), 'recall@10': svcRecall }),
  });
  await rest.close();
  await chroma.stop();
  yield table(`Retrieve 10 of 100,000 chunks × 384, ${CLIENTS} clients`, rounds, {
    svc: [
      { over: peer, by: 'QPS', promise: atLeast(1.5, 1.8) },
      { over: peer, by: 'p99 ms', promise: atMost(1, 0.5) },
      { over: embedding, by: 'QPS' },
      { over: embedding, by: 'p99 ms' },
    ],
  });
}

class Chroma {
  readonly #agent = new Agent();
  readonly #directory: string;
  readonly #port: number;
  /** Ends the server that runs. */
  stop: () => Promise<void> = async () => {};
  #collection = '';

  private constructor(directory: string, port: number) {
    this.#directory = directory;
    this.#port = port;
  }

  /** Installs and starts the server, with an empty collection. */
  static async start(): Promise<Chroma> {
    const chroma = new Chroma(await installed([`${PACKAGE}@${VERSION}`]), await freePort());
    await chroma.#run();
    const configuration = { hnsw: { space: 'ip', ef_construction: 64, max_neighbors: 16 } };
    const made = await chroma.#send<{ id: string }>('/collections', { name: 'bench', configuration });
    chroma.#collection = `/collections/${made.id}`;
    return chroma;
  }

  async #run(): Promise<void> {
    const [port, path] = [String(this.#port), join(this.#directory, 'data')];
    const args = ['chroma', 'run', '--host', '127.0.0.1', '--port', port, '--path', path];
    const code = `require(${JSON.stringify(PACKAGE)}).cli(${JSON.stringify(args)})`;
    const child = spawn(process.execPath, ['-e', code], { cwd: this.#directory, stdio: 'ignore' });
    const exited = once(child, 'exit');
    this.stop = atEnd(async () => {
      child.kill('SIGKILL');
      await exited;
    });
    for (let poll = 0; ; poll += 1) {
      const refused = await this.#text('', undefined, 'GET').catch((error: unknown) => error);
      if (typeof refused === 'string') return;
      if (poll === START_POLLS || child.exitCode !== null) throw new Error('Chroma did not start', { cause: refused });
      await sleep(100);
    }
  }

  /** Adds each chunk of a corpus, with its text and vector. */
  async fill(client: pg.Client, corpus: Corpus): Promise<void> {
    const parts = vectorParts(corpus, '$1').map(
      ({ table, rows }) => `select memory_id, sequence from ${table} v where ${rows}`,
    );
    const { rows } = await client.query<{ id: string; text: string }>(
      `select c.memory_id || '/' || c.sequence as id, c.text from (${parts.join(' union all ')}) v
        join chunk c on c.space_id = $1 and c.memory_id = v.memory_id and c.sequence = v.sequence`,
      [corpus.spaceId],
    );
    for (let start = 0; start < rows.length; start += BATCH) {
      const batch = rows.slice(start, start + BATCH);
      const documents = batch.map(({ text }) => text);
      const embeddings = documents.map((text) => [...clustered(text, corpus.dimensions)]);
      await this.#send(`${this.#collection}/add`, { ids: batch.map(({ id }) => id), documents, embeddings });
    }
  }

  /** Sets the smallest efSearch that finds no less than the service, or else the largest that is tried. */
  async tune(wanted: number, measure: () => Promise<number>): Promise<{ efSearch: number; recall: number }> {
    let reached = { efSearch: 0, recall: 0 };
    for (const efSearch of EF_SEARCH) {
      const configuration = { new_configuration: { hnsw: { ef_search: efSearch } } };
      await this.#text(this.#collection, JSON.stringify(configuration), 'PUT');
      // An index that is loaded keeps its efSearch.
      await this.stop();
      await this.#run();
      reached = { efSearch, recall: await measure() };
      if (reached.recall >= wanted) break;
    }
    return reached;
  }

  async found(vector: Float32Array): Promise<ChunkKey[]> {
    const { ids } = JSON.parse(await this.query(queryBody(vector))) as { ids: [string[]] };
    return ids[0].map((id) => {
      const [memoryId = '', sequence] = id.split('/');
      return { memoryId, chunkSequenceNumber: Number(sequence) };
    });
  }

  query(body: string): Promise<string> {
    return this.#text(`${this.#collection}/query`, body);
  }

  async #send<T>(path: string, body: object): Promise<T> {
    return JSON.parse(await this.#text(path, JSON.stringify(body))) as T;
  }

  async #text(path: string, body: string | undefined, method: 'GET' | 'POST' | 'PUT' = 'POST'): Promise<string> {
    const url = `http://127.0.0.1:${this.#port}/api/v2/tenants/default_tenant/databases/default_database${path}`;
    const headers = body === undefined ? {} : { 'content-type': 'application/json' };
    const response = await request(url, { method, headers, body: body ?? null, dispatcher: this.#agent });
    const text = await response.body.text();
    if (response.statusCode >= 300) throw new Error(`Chroma answered ${response.statusCode}: ${text}`);
    return text;
  }
}

/** The vector of a question, from the embedder of the corpus. */
async function embedded({ embedderUrl, dimensions }: Corpus, question: string): Promise<number[]> {
  const body = JSON.stringify({ input: [question], model: `clustered-${dimensions}` });
  const headers = { 'content-type': 'application/json' };
  const response = await request(`${embedderUrl}/v1/embeddings`, { method: 'POST', headers, body });
  const { data } = (await response.body.json()) as { data: [{ embedding: string }] };
  const bytes = Buffer.from(data[0].embedding, 'base64');
  return Array.from({ length: dimensions }, (_, index) => bytes.readFloatLE(index * 4));
}

function queryBody(vector: Iterable<number>): string {
  return JSON.stringify({ query_embeddings: [[...vector]], n_results: SIZE, include: ['documents', 'distances'] });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
