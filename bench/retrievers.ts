import { create, toBinary } from '@bufbuild/protobuf';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import pg from 'pg';
import { Agent, request } from 'undici';
import { halfvec } from '../src/server/store/binary.ts';
import { type SpaceVectors, vectorParts } from '../src/server/store/vector-layout.ts';
import { RetrieveMemoryRequestSchema } from '../src/shared/gen/service/v1/memory_pb.ts';
import { startChild } from './child.ts';
import type { Service } from './service.ts';

/** Results of a retrieval. */
export const SIZE = 10;

/** The space that is searched. */
export interface Target extends SpaceVectors {
  dimensions: number;
  /** Of the stand-in that embeds its questions; without one the built-in embedder does. */
  embedderUrl?: string;
  /** Of the memories whose chunks are wanted, in the language of filters; all of them without one. */
  filter?: string;
}

/** One way to retrieve. */
export interface Contender {
  run(question: string): Promise<void>;
  close(): Promise<void>;
}

/** `$1` is the vector, `$2` the space. What is not in the index is scanned, as by the service. */
function nearest(target: Target): string {
  const parts = vectorParts(target, '$2').map(({ table, rows, isIndexed }) => {
    const distance = 'v.embedding <#> $1::halfvec';
    const order = isIndexed ? `order by ${distance}` : `where ${rows} order by (${distance}) + 0`;
    return `(select memory_id, sequence, ${distance} as distance from ${table} v ${order} limit ${SIZE})`;
  });
  return `select * from (${parts.join(' union all ')}) hit order by distance limit ${SIZE}`;
}

/** The session searches as the service does. */
const SETTINGS = { options: '-c hnsw.ef_search=100 -c hnsw.iterative_scan=strict_order -c jit=off' };

/** A connection that searches so. */
export async function rawClient({ databaseUrl }: Service): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: databaseUrl, ...SETTINGS });
  await client.connect();
  return client;
}

export async function rawQuery(
  service: Service,
  target: Target,
  embed: (question: string) => Float32Array,
): Promise<Contender> {
  const client = await rawClient(service);
  const text = nearest(target);
  return {
    async run(question) {
      const { rows } = await client.query({ name: 'raw', text, values: [halfvec(embed(question)), target.spaceId] });
      if (rows.length !== SIZE) throw new Error(`the raw query found ${rows.length} rows`);
    },
    close: () => client.end(),
  };
}

/** Starts a bare handler in a process of its own. */
export async function bareService(service: Service, target: Target): Promise<Contender & { address: string }> {
  // As one subquery a hit: for a plain join the planner reads all chunks.
  const search = `select hit.memory_id as "memoryId", hit.sequence, brought.*, hit.distance
    from (${nearest(target)}) hit cross join lateral (
      select c.chunk_id as "chunkId", c.text, c.start_offset as "startOffset", c.end_offset as "endOffset", c.metadata,
        c.created_at as "createdAt", c.updated_at as "updatedAt", m.content_type as "contentType",
        m.content_length as "contentLength", m.processing_status as status
      from memory m join chunk c on c.space_id = m.space_id and c.memory_id = m.memory_id and c.sequence = hit.sequence
      where m.space_id = $2 and m.memory_id = hit.memory_id
      offset 0
    ) brought
    order by hit.distance`;
  const space = `select space_id as "spaceId", owner_id as "ownerId", name, description, labels,
      public_read as "publicRead", chunking_config as "chunkingConfig", created_at as "createdAt",
      updated_at as "updatedAt",
      (select json_agg(e) from space_embedder e where e.space_id = s.space_id) as "spaceEmbedders"
    from space s where space_id = $1`;
  const memory = `select memory_id as "memoryId", space_id as "spaceId", content_length as "contentLength",
      encode(content_sha256, 'hex') as "contentSha256", content_type as "contentType", processing_status as status,
      metadata, created_at as "createdAt", updated_at as "updatedAt", created_by_id as "createdById",
      updated_by_id as "updatedById"
    from memory where memory_id = $1`;
  const { address, stop } = await startChild('./bare.ts', {
    PGOPTIONS: SETTINGS.options,
    BARE_DATABASE_URL: service.databaseUrl,
    BARE_DIMENSIONS: String(target.dimensions),
    BARE_EMBEDDER: target.embedderUrl,
    BARE_SEARCH: search,
    BARE_SPACE: space,
    BARE_MEMORY: memory,
  });
  const rest = retriever(`${address}/retrieve`, {}, target);
  return {
    address,
    run: rest.run,
    async close() {
      await rest.close();
      await stop();
    },
  };
}

export function restRetrieve({ server, key }: Service, target: Target): Contender {
  return retriever(`${server.rest}/v1/memories:retrieve`, { 'x-api-key': key }, target);
}

function retriever(url: string, own: Record<string, string>, { spaceId, filter = '' }: Target): Contender {
  const dispatcher = new Agent();
  const headers = { 'content-type': 'application/json', ...own };
  return {
    async run(message) {
      const body = JSON.stringify({ message, spaceKeys: [{ spaceId, filter }], requestedSize: SIZE });
      const response = await request(url, { method: 'POST', headers, body, dispatcher });
      const answer = await response.body.text();
      const lines = answer.split('\n').filter((line) => line.includes('"retrievedItem"'));
      if (lines.length !== SIZE) throw new Error(`${url} found ${lines.length} items: ${answer}`);
    },
    close: () => dispatcher.close(),
  };
}

export function grpcRetrieve(service: Service, { spaceId }: Target): Contender {
  const client = new Client(service.server.grpc.replace('http://', ''), credentials.createInsecure());
  const metadata = new Metadata();
  metadata.set('x-api-key', service.key);
  return {
    run: (message) =>
      new Promise((resolve, reject) => {
        const body = create(RetrieveMemoryRequestSchema, { message, spaceKeys: [{ spaceId }], requestedSize: SIZE });
        const serialize = (value: typeof body) => Buffer.from(toBinary(RetrieveMemoryRequestSchema, value));
        const call = client.makeServerStreamRequest(
          '/service.v1.MemoryService/RetrieveMemory',
          serialize,
          (bytes) => bytes,
          body,
          metadata,
        );
        call.on('data', () => {});
        call.on('error', reject);
        call.on('end', resolve);
      }),
    close: async () => client.close(),
  };
}
