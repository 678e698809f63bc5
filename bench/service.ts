import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { VectorLayout, VectorsKey } from '../src/server/store/vector-layout.ts';
import { startServer, type TestServer } from '../test/support/server.ts';
import { atEnd } from './at-end.ts';
import { startChild } from './child.ts';

/** A limit that is counted and never reached. */
const CALLS_A_MINUTE = '1000000000';
const POLL_MS = 200;
const POLLS = 9000;

/** As an answer names a chunk. */
export interface ChunkKey {
  memoryId: string;
  chunkSequenceNumber: number;
}

/** A server with all that it has switched on, on a database of its own, which raw connections share. */
export class Service {
  readonly server: TestServer;
  readonly databaseUrl: string;
  /** Of a server on the same database. */
  readonly databaseFlags: readonly string[];
  readonly key: string;
  readonly #embedders = new Map<string, Promise<string>>();
  #clustered: Promise<string> | undefined;

  private constructor(server: TestServer, databaseUrl: string, databaseFlags: readonly string[], key: string) {
    this.server = server;
    this.databaseUrl = databaseUrl;
    this.databaseFlags = databaseFlags;
    this.key = key;
  }

  /** Until the end of the program: server and database are removed then. */
  static async start(baseUrl: string): Promise<Service> {
    const name = `svc_bench_${randomUUID().replaceAll('-', '')}`;
    await administer(baseUrl, `create database ${name}`);
    atEnd(() => administer(baseUrl, `drop database ${name} with (force)`));
    const url = new URL(baseUrl);
    url.pathname = `/${name}`;
    const password = url.password === '' ? ['--db-password', 'unused'] : [];
    const databaseFlags = ['--db-url', url.href, ...password];
    const server = await startServer({
      databaseFlags,
      flags: ['--rate-limit-max', CALLS_A_MINUTE, '--log-level', 'info'],
    });
    atEnd(async () => {
      await server.end('SIGKILL');
    });
    // Its log is drained, but not parsed here at the cost of those who measure.
    server.process.stderr?.removeAllListeners('data').resume();
    return new Service(server, url.href, databaseFlags, await server.init());
  }

  /** Posts JSON and gives the parsed answer. Throws with the answer when it is an error. */
  async post<T>(path: string, body: unknown): Promise<T> {
    const response = await this.#fetch(path, body);
    const text = await response.text();
    if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${text}`);
    return JSON.parse(text) as T;
  }

  /** A space embedded by the built-in embedder in so many dimensions. */
  space(name: string, dimensionality: number): Promise<{ spaceId: string; embedderId: string }> {
    return this.#spaceOf(name, { providerType: 'BUILTIN', modelIdentifier: 'lexical-v1', dimensionality });
  }

  /** A space embedded by a stand-in on loopback, whose vectors are those of `clustered`. */
  async clusteredSpace(
    name: string,
    dimensionality: number,
    more: object = {},
  ): Promise<{ spaceId: string; embedderId: string }> {
    return this.openAiSpace(name, `clustered-${dimensionality}`, await this.clusteredUrl(), dimensionality, more);
  }

  /** Of the stand-in, which is started when it is first wanted. */
  clusteredUrl(): Promise<string> {
    this.#clustered ??= startChild('./embedder.ts').then(({ address }) => address);
    return this.#clustered;
  }

  /** A space embedded by a server of the form of OpenAI. */
  openAiSpace(
    name: string,
    modelIdentifier: string,
    address: string,
    dimensionality: number,
    more: object = {},
  ): Promise<{ spaceId: string; embedderId: string }> {
    const endpointUrl = `${address}/v1`;
    return this.#spaceOf(name, { providerType: 'OPENAI', modelIdentifier, endpointUrl, dimensionality }, more);
  }

  /** Spaces of one target share its embedder. */
  async #spaceOf(name: string, target: object, more: object = {}): Promise<{ spaceId: string; embedderId: string }> {
    const displayName = JSON.stringify(target);
    const made = async () =>
      (await this.post<{ embedderId: string }>('/v1/embedders', { displayName, ...target })).embedderId;
    const embedder = this.#embedders.get(displayName) ?? made();
    this.#embedders.set(displayName, embedder);
    const embedderId = await embedder;
    const { spaceId } = await this.post<{ spaceId: string }>('/v1/spaces', { name, embedderId, ...more });
    return { spaceId, embedderId };
  }

  #fetch(path: string, body: unknown): Promise<Response> {
    return fetch(`${this.server.rest}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': this.key },
      body: JSON.stringify(body),
    });
  }

  /** Stores texts as memories, so many a batch, and waits until all are processed. */
  async store(spaceId: string, texts: readonly string[], batch: number): Promise<void> {
    for (let start = 0; start < texts.length; start += batch) {
      const requests = texts
        .slice(start, start + batch)
        .map((originalContent) => ({ spaceId, contentType: 'text/plain', originalContent }));
      const last = start + batch >= texts.length;
      await this.post(`/v1/memories:batchCreate?waitMs=${last ? 60_000 : 0}`, { requests });
    }
    await this.allCompleted(spaceId);
  }

  /** Waits until the explanation of a retrieval says that it scans the space so: a regular expression. */
  async scannedBy(spaceId: string, scan: string): Promise<void> {
    const wanted = new RegExp(`"space\\.${spaceId}":"${scan}"`);
    const body = { message: 'any', spaceKeys: [{ spaceId }], explain: true };
    for (let poll = 0; poll < POLLS; poll += 1) {
      const response = await this.#fetch('/v1/memories:retrieve', body);
      if (wanted.test(await response.text())) return;
      await sleep(POLL_MS);
    }
    throw new Error(`the space ${spaceId} is not scanned by ${scan}`);
  }

  /** Waits until one index has all vectors of a space, and tells where. */
  async indexed(key: VectorsKey): Promise<VectorLayout> {
    for (let poll = 0; poll < POLLS; poll += 1) {
      const layout = await this.layout(key);
      const [segment, ...others] = layout.segments;
      if (segment?.state === 'INDEXED' && others.length === 0) {
        await this.scannedBy(key.spaceId, 'hnsw \\d+');
        if ((await this.layout(key)).version === layout.version) return layout;
      }
      await sleep(POLL_MS);
    }
    throw new Error(`the space ${key.spaceId} does not get one index`);
  }

  /** Where the vectors of a space are. */
  async layout(key: VectorsKey): Promise<VectorLayout> {
    return this.#embedded<VectorLayout>(key, 'layout_version as version, segments');
  }

  /** How many chunks of a space can be retrieved. */
  async chunksOf(key: VectorsKey): Promise<number> {
    return (await this.#embedded<{ chunks: number }>(key, 'vector_count::int4 as chunks')).chunks;
  }

  async #embedded<Row extends object>({ spaceId, embedderId }: VectorsKey, columns: string): Promise<Row> {
    const client = new pg.Client({ connectionString: this.databaseUrl });
    await client.connect();
    const { rows } = await client.query<Row>(
      `select ${columns} from space_embedder where space_id = $1 and embedder_id = $2`,
      [spaceId, embedderId],
    );
    await client.end();
    const [row] = rows;
    if (row === undefined) throw new Error(`the space ${spaceId} is not embedded by ${embedderId}`);
    return row;
  }

  /** Stores texts as memories, a request each, one after the other; they are processed later. */
  async storeSingly(spaceId: string, texts: readonly string[]): Promise<void> {
    for (const originalContent of texts) await this.remember(spaceId, originalContent);
  }

  remember(spaceId: string, originalContent: string): Promise<{ memoryId: string }> {
    return this.post('/v1/memories', { spaceId, contentType: 'text/plain', originalContent });
  }

  /** The chunks that a question finds, the best first. */
  async retrieved(spaceId: string, message: string, requestedSize = 10, filter = ''): Promise<ChunkKey[]> {
    const spaceKeys = [{ spaceId, filter }];
    const response = await this.#fetch('/v1/memories:retrieve', { message, spaceKeys, requestedSize });
    const lines = (await response.text()).split('\n').filter((line) => line !== '');
    return lines.flatMap(
      (line) => (JSON.parse(line) as { retrievedItem?: { chunk?: ChunkKey } }).retrievedItem?.chunk ?? [],
    );
  }

  /** Waits until nothing in the space is unfinished. */
  async allCompleted(spaceId: string): Promise<void> {
    for (const status of ['PENDING', 'PROCESSING']) {
      for (;;) {
        const url = `${this.server.rest}/v1/spaces/${spaceId}/memories?statusFilter=${status}&maxResults=1`;
        const response = await fetch(url, { headers: { 'x-api-key': this.key } });
        const { memories } = (await response.json()) as { memories: unknown[] };
        if (memories.length === 0) break;
        await sleep(20);
      }
    }
  }
}

async function administer(url: string, statement: string): Promise<void> {
  const admin = new pg.Client(url);
  await admin.connect();
  await admin.query(statement);
  await admin.end();
}
