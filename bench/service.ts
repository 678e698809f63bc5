import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { VectorLayout, VectorsKey } from '../src/server/store/vector-layout.ts';
import { startServer, type TestServer } from '../test/support/server.ts';

/** A server on a database of its own, and raw connections to the same database. */
export class Service {
  readonly server: TestServer;
  readonly databaseUrl: string;
  readonly #key: string;
  readonly #drop: () => Promise<void>;
  readonly #embedders = new Map<number, string>();

  private constructor(server: TestServer, databaseUrl: string, key: string, drop: () => Promise<void>) {
    this.server = server;
    this.databaseUrl = databaseUrl;
    this.#key = key;
    this.#drop = drop;
  }

  static async start(baseUrl: string): Promise<Service> {
    const name = `svc_bench_${randomUUID().replaceAll('-', '')}`;
    const admin = new pg.Client(baseUrl);
    await admin.connect();
    await admin.query(`create database ${name}`);
    const url = new URL(baseUrl);
    url.pathname = `/${name}`;
    const flags = ['--rate-limit-max', '0', '--log-level', 'info'];
    const password = url.password === '' ? ['--db-password', 'unused'] : [];
    const server = await startServer({ databaseFlags: ['--db-url', url.href, ...password], flags });
    const service = new Service(server, url.href, await server.init(), async () => {
      await admin.query(`drop database ${name} with (force)`);
      await admin.end();
    });
    return service;
  }

  get key(): string {
    return this.#key;
  }

  /** Posts JSON and gives the parsed answer. Throws with the answer when it is an error. */
  async post<T>(path: string, body: unknown): Promise<T> {
    const response = await this.#fetch(path, body);
    const text = await response.text();
    if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${text}`);
    return JSON.parse(text) as T;
  }

  /** A space embedded by the built-in embedder in so many dimensions; spaces of one dimension share the embedder. */
  async space(name: string, dimensionality: number): Promise<{ spaceId: string; embedderId: string }> {
    const embedderId = this.#embedders.get(dimensionality) ?? (await this.#embedder(dimensionality));
    this.#embedders.set(dimensionality, embedderId);
    const { spaceId } = await this.post<{ spaceId: string }>('/v1/spaces', { name, embedderId });
    return { spaceId, embedderId };
  }

  /** A space embedded by an OpenAI-like server. */
  async spaceOf(name: string, endpointUrl: string, dimensionality: number): Promise<{ spaceId: string }> {
    const target = { providerType: 'OPENAI', modelIdentifier: 'bench', endpointUrl, dimensionality };
    const { embedderId } = await this.post<{ embedderId: string }>('/v1/embedders', { displayName: name, ...target });
    return this.post('/v1/spaces', { name, embedderId });
  }

  #fetch(path: string, body: unknown): Promise<Response> {
    return fetch(`${this.server.rest}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': this.#key },
      body: JSON.stringify(body),
    });
  }

  async #embedder(dimensionality: number): Promise<string> {
    const displayName = `Built-in, ${dimensionality} dimensions`;
    const embedder = { displayName, providerType: 'BUILTIN', modelIdentifier: 'lexical-v1', dimensionality };
    return (await this.post<{ embedderId: string }>('/v1/embedders', embedder)).embedderId;
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
    for (;;) {
      const response = await this.#fetch('/v1/memories:retrieve', body);
      if (wanted.test(await response.text())) return;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }

  /** Where the vectors of a space are. */
  async layout({ spaceId, embedderId }: VectorsKey): Promise<VectorLayout> {
    const client = new pg.Client({ connectionString: this.databaseUrl });
    await client.connect();
    const { rows } = await client.query<VectorLayout>(
      'select layout_version as version, segments from space_embedder where space_id = $1 and embedder_id = $2',
      [spaceId, embedderId],
    );
    await client.end();
    const [layout] = rows;
    if (layout === undefined) throw new Error(`the space ${spaceId} is not embedded by ${embedderId}`);
    return layout;
  }

  /** Stores texts as memories, a request each, one after the other; they are processed later. */
  async storeSingly(spaceId: string, texts: readonly string[]): Promise<void> {
    for (const originalContent of texts) await this.remember(spaceId, originalContent);
  }

  remember(spaceId: string, originalContent: string): Promise<{ memoryId: string }> {
    return this.post('/v1/memories', { spaceId, contentType: 'text/plain', originalContent });
  }

  /** The memories of the chunks that a question finds. */
  async retrieved(spaceId: string, message: string): Promise<string[]> {
    const response = await this.#fetch('/v1/memories:retrieve', { message, spaceKeys: [{ spaceId }] });
    const lines = (await response.text()).split('\n').filter((line) => line !== '');
    return lines.flatMap((line) => {
      const event = JSON.parse(line) as { retrievedItem?: { chunk?: { memoryId?: string } } };
      return event.retrievedItem?.chunk?.memoryId ?? [];
    });
  }

  /** Waits until nothing in the space is unfinished. */
  async allCompleted(spaceId: string): Promise<void> {
    for (const status of ['PENDING', 'PROCESSING']) {
      for (;;) {
        const url = `${this.server.rest}/v1/spaces/${spaceId}/memories?statusFilter=${status}&maxResults=1`;
        const response = await fetch(url, { headers: { 'x-api-key': this.#key } });
        const { memories } = (await response.json()) as { memories: unknown[] };
        if (memories.length === 0) break;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  }

  async stop(): Promise<void> {
    await this.server.end();
    await this.#drop();
  }
}
