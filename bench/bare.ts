import fastify from 'fastify';
import pg from 'pg';
import { request as send } from 'undici';
import { embedLexical } from '../src/server/providers/builtin/embed-lexical.ts';
import { halfvec } from '../src/server/store/binary.ts';

/**
 * The least service that can be written, in a process of its own: one query a request, its rows as the lines that `svc`
 * writes. Without keys, permissions, limits, validation, metrics and logs. Takes the database URL and its queries as
 * environment variables, and prints its address.
 */
const { BARE_DATABASE_URL, BARE_SEARCH = '', BARE_SPACE = '', BARE_MEMORY = '' } = process.env;
const { BARE_DIMENSIONS = '', BARE_EMBEDDER } = process.env;

const pool = new pg.Pool({ connectionString: BARE_DATABASE_URL, max: 50 });
const server = fastify();

server.post<{ Body: { message: string; spaceKeys: [{ spaceId: string }] } }>('/retrieve', async (request, reply) => {
  const { message, spaceKeys } = request.body;
  const vector = halfvec(await embed(message));
  const { rows } = await pool.query({ name: 'search', text: BARE_SEARCH, values: [vector, spaceKeys[0].spaceId] });
  const lines = [boundary('BEGIN', rows.length)];
  for (const [memoryIndex, { distance, contentType, contentLength, status, ...chunk }] of rows.entries()) {
    const { memoryId } = chunk;
    lines.push(JSON.stringify({ memoryDefinition: { memoryId, contentType, contentLength, status } }));
    lines.push(JSON.stringify({ retrievedItem: { chunk, memoryIndex, relevanceScore: -distance } }));
  }
  lines.push(boundary('END', rows.length), '');
  return reply.header('content-type', 'application/x-ndjson').send(lines.join('\n'));
});

server.get<{ Params: { id: string } }>('/spaces/:id', async (request) => {
  const { rows } = await pool.query({ name: 'space', text: BARE_SPACE, values: [request.params.id] });
  return rows[0];
});

server.get<{ Params: { id: string } }>('/memories/:id', async (request) => {
  const { rows } = await pool.query({ name: 'memory', text: BARE_MEMORY, values: [request.params.id] });
  return rows[0];
});

/** By a call of the embedder if there is one, as the service makes it. */
async function embed(message: string): Promise<Float32Array> {
  if (BARE_EMBEDDER === undefined) return embedLexical([message], Number(BARE_DIMENSIONS), 'query');
  const body = JSON.stringify({ input: [message], model: `clustered-${BARE_DIMENSIONS}`, encoding_format: 'base64' });
  const headers = { 'content-type': 'application/json' };
  const response = await send(`${BARE_EMBEDDER}/v1/embeddings`, { method: 'POST', headers, body });
  const { data } = (await response.body.json()) as { data: [{ embedding: string }] };
  const bytes = Buffer.from(data[0].embedding, 'base64');
  return Float32Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4));
}

function boundary(kind: string, expectedItems: number): string {
  return JSON.stringify({ resultSetBoundary: { kind, stageName: 'vector_search', expectedItems } });
}

process.stdout.write(`${await server.listen({ host: '127.0.0.1', port: 0 })}\n`);
