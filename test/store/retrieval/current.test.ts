import { Socket } from 'node:net';
import { create } from '@bufbuild/protobuf';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { CallContext } from '../../../src/server/context.ts';
import { Lifecycle } from '../../../src/server/lifecycle.ts';
import { createTargetClients } from '../../../src/server/providers/clients.ts';
import { createProviderHttp } from '../../../src/server/providers/http.ts';
import { createAuthenticator } from '../../../src/server/service/authenticate.ts';
import { createMemoryHandlers } from '../../../src/server/service/memories/handlers.ts';
import { createPageTokens, loadPageTokenKey } from '../../../src/server/service/page-token.ts';
import { requireUnrestricted } from '../../../src/server/service/permission.ts';
import { createRetrieveHandlers } from '../../../src/server/service/retrieval/handlers.ts';
import { createSpaceHandlers } from '../../../src/server/service/spaces/handlers.ts';
import { createTargetOpener } from '../../../src/server/service/targets/open-target.ts';
import { createPromptTemplates } from '../../../src/server/service/templates/prompt-templates.ts';
import type { Db } from '../../../src/server/store/db.ts';
import { Calls, type StreamingHandler, type UnaryHandler } from '../../../src/server/transport/calls.ts';
import { createWorkerPool } from '../../../src/server/workers/pool.ts';
import { ProviderType } from '../../../src/shared/gen/service/v1/common_pb.ts';
import { type RetrieveMemoryEvent, RetrieveMemoryEventSchema } from '../../../src/shared/gen/service/v1/memory_pb.ts';
import { encodeJson } from '../../../src/shared/json/encode.ts';
import { OPERATIONS, type OperationKey } from '../../../src/shared/operations/table.ts';
import { openLog } from '../../support/log.ts';
import { LOOPBACK_POLICY } from '../../support/loopback-policy.ts';
import { OpenAiStandIn } from '../../support/stand-ins/openai.ts';
import { failure, type Identity, openIdentity, SECRETS_KEY, signal, sql } from '../identity.fixture.ts';
import { promoteOnce } from '../promote.fixture.ts';
import { at, useRetrievalWorld } from './retrieval.fixture.ts';

const DIMENSIONS = 128;
const world = useRetrievalWorld(DIMENSIONS);
const workers = createWorkerPool({ size: 1 });
const http = createProviderHttp({ policy: LOOPBACK_POLICY });
afterAll(async () => {
  await workers.close();
  await http.close();
});

/** A server that remembers what it has learned, from the admission of a call to its answer. */
interface Server {
  ask(key: OperationKey, request: object, rawKey: string): Promise<unknown>;
}

async function serverOn(db: Db): Promise<Server> {
  const log = openLog();
  const clients = createTargetClients({
    http,
    timeoutMs: 10_000,
    builtin: async (texts, dimensions) => texts.map(() => at(0, dimensions)),
  });
  const pageTokens = createPageTokens(await loadPageTokenKey(db.main, signal));
  const handlers = {
    ...createRetrieveHandlers({
      db,
      targets: createTargetOpener({ pool: db.main, secretsKey: SECRETS_KEY, clients }),
      templates: createPromptTemplates(workers),
      postProcessors: new Map(),
      providerTimeoutMs: 10_000,
    }),
    ...createSpaceHandlers({ db, pageTokens }),
    // What is ingested is written by the tests.
    ...createMemoryHandlers({ db, pageTokens, ingest: {} as never, maxContentBytes: 1000 }),
  };
  const calls = new Calls(new Lifecycle(), log);
  calls.serve({ handlers, ...createAuthenticator({ db, log }) });
  return {
    async ask(key, request, rawKey) {
      const operation = OPERATIONS[key];
      const incoming = { operation, transport: 'rest', requestId: 'test', signal, rawKey } as const;
      const call = await calls.admit({ ...incoming, address: undefined, onStanding() {} });
      const message = create(operation.rpc.input, request as never);
      const handler = calls.handler(key);
      try {
        if (operation.answers !== 'events') {
          return await calls.answered(call.context, async (context) => {
            requireUnrestricted(context);
            return await (handler as UnaryHandler)(message, context);
          });
        }
        const events: unknown[] = [];
        const open = (context: CallContext) => {
          requireUnrestricted(context);
          return (handler as StreamingHandler)(message, context);
        };
        for await (const event of calls.streamed(call.context, open)) {
          events.push(JSON.parse(encodeJson(RetrieveMemoryEventSchema, event as RetrieveMemoryEvent)));
        }
        return events;
      } finally {
        call.end();
      }
    },
  };
}

let server: Server;
/** Another server on the database; the embedded one has only one. */
let elsewhere: Identity & { db: Db };
beforeAll(async () => {
  server = await serverOn(world.db);
  const db = world.database.kind === 'embedded' ? world.db : await world.database.connect();
  elsewhere = { ...(await openIdentity(db)), db };
});

let spaceId: string;
let memoryIds: string[] = [];
let embedderId: string;
let key: { apiKeyId: string; rawApiKey: string };
let visitor: { apiKeyId: string; rawApiKey: string };

const keyOf = async (caller: (typeof world)['ada']) => {
  const { apiKeyMetadata, rawApiKey } = await world.call('createApiKey', {}, caller);
  return { apiKeyId: apiKeyMetadata?.apiKeyId ?? '', rawApiKey };
};
beforeAll(async () => {
  const builtin = { providerType: ProviderType.BUILTIN, modelIdentifier: 'lexical-v1', dimensionality: DIMENSIONS };
  embedderId = (await world.call('createEmbedder', { displayName: 'Its own', ...builtin }, world.ada)).embedderId;
});
beforeEach(async () => {
  spaceId = await world.space([embedderId], { publicRead: true });
  memoryIds = await world.add(spaceId, [{ chunks: [[at(1, DIMENSIONS)]] }, { chunks: [[at(2, DIMENSIONS)]] }]);
  key = await keyOf(world.ada);
  visitor = await keyOf(world.bob);
});

interface Event {
  retrievedItem?: { chunk: { memoryId: string } };
  status?: { code: string; details: Record<string, string> };
}

const retrieve = async (rawKey: string, more: object = {}) =>
  (await server.ask('retrieveMemory', { message: 'any', spaceKeys: [{ spaceId }], ...more }, rawKey)) as Event[];
const found = async (rawKey: string, more?: object) =>
  (await retrieve(rawKey, more)).flatMap(({ retrievedItem }) => retrievedItem?.chunk.memoryId ?? []);

const onKey = (change: string) => () =>
  sql(elsewhere.db, `update api_key set ${change} where api_key_id = any($1)`, [[key.apiKeyId, visitor.apiKeyId]]);

const READS: readonly (readonly [OperationKey, () => object])[] = [
  ['retrieveMemory', () => ({ message: 'any', spaceKeys: [{ spaceId }] })],
  ['getSpace', () => ({ spaceId })],
  ['listSpaces', () => ({ publicRead: true })],
  ['getMemory', () => ({ memoryId: memoryIds[0] })],
  ['listMemories', () => ({ spaceId })],
  ['listMemories', () => ({ spaceId, sortBy: 'content_type' })],
  ['listChunks', () => ({ scope: { case: 'memoryId', value: memoryIds[0] } })],
];

describe.each(READS)('%s', (operation, request) => {
  const ask = (rawKey: string) => server.ask(operation, request(), rawKey);

  test.each([
    ['deleted', () => elsewhere.call('deleteApiKey', { apiKeyId: visitor.apiKeyId }, world.bob), /^UNAUTHENTICATED/],
    ['deactivated', onKey("status = 'INACTIVE'"), /^UNAUTHENTICATED/],
    ['expired', onKey("expires_at = now() - interval '1 second'"), /^UNAUTHENTICATED/],
  ])('a key that was %s counts so in the next call', async (_, change, expected) => {
    for (let n = 0; n < 2; n += 1) await ask(visitor.rawApiKey);
    await change();
    expect(await failure(ask(visitor.rawApiKey))).toMatch(expected);
    expect(await failure(ask(visitor.rawApiKey))).toMatch(expected);
  });

  test('so do a space that was closed and the role of a user', async () => {
    const outcome = () => failure(ask(visitor.rawApiKey));
    const refused = operation === 'listSpaces' ? /^no failure/ : /^PERMISSION_DENIED/;
    const become = (role: string) =>
      sql(elsewhere.db, 'update app_user set role = $2 where user_id = $1', [world.bob.userId, role]);
    for (let n = 0; n < 2; n += 1) expect(await outcome()).toBe('no failure');
    await elsewhere.call('updateSpace', { spaceId, publicRead: false }, world.ada);
    expect(await outcome()).toMatch(refused);
    await become('ADMIN');
    expect(await outcome()).toBe('no failure');
    await become('USER');
    expect(await outcome()).toMatch(refused);
  });

  test('and a space that was deleted', async () => {
    for (let n = 0; n < 2; n += 1) await ask(key.rawApiKey);
    await elsewhere.call('deleteSpace', { spaceId }, world.ada);
    const expected = operation === 'listSpaces' ? /^no failure/ : /^NOT_FOUND/;
    expect(await failure(ask(key.rawApiKey))).toMatch(expected);
  });
});

describe('a retrieval that knows its key and its space', () => {
  beforeEach(async () => {
    for (let n = 0; n < 2; n += 1) expect(await found(key.rawApiKey)).toEqual(memoryIds);
  });

  test('does not find a memory that was deleted, and finds one that was added', async () => {
    await sql(elsewhere.db, 'delete from memory where memory_id = $1', [memoryIds[0]]);
    expect(await found(key.rawApiKey)).toEqual([memoryIds[1]]);
    const [added] = await world.add(spaceId, [{ chunks: [[at(3, DIMENSIONS)]] }]);
    expect(await found(key.rawApiKey)).toEqual([memoryIds[1], added]);
  });

  test('is refused when the key was restricted to other spaces', async () => {
    await onKey(`space_ids = '{${crypto.randomUUID()}}'`)();
    expect(await failure(retrieve(key.rawApiKey))).toMatch(/^PERMISSION_DENIED/);
    await onKey('space_ids = null')();
    expect(await found(key.rawApiKey)).toEqual(memoryIds);
  });

  test('uses the weights of now', async () => {
    await sql(elsewhere.db, 'update space_embedder set default_retrieval_weight = 0 where space_id = $1', [spaceId]);
    expect((await retrieve(key.rawApiKey)).flatMap(({ status }) => status?.code ?? [])).toEqual(['SPACE_NO_EMBEDDERS']);
    await sql(elsewhere.db, 'update space_embedder set default_retrieval_weight = 1 where space_id = $1', [spaceId]);
    expect(await found(key.rawApiKey)).toEqual(memoryIds);
  });

  test('finds everything after its vectors have moved into a table of their own', async () => {
    const log = openLog();
    const large: Db = { ...elsewhere.db, capabilities: { ...elsewhere.db.capabilities, exactScanLimit: 1 } };
    while (await promoteOnce({ db: large, log }, signal));
    expect(await found(key.rawApiKey)).toEqual(memoryIds);
  });

  test('says the number of vectors of now', async () => {
    await world.add(spaceId, [{ chunks: [[at(3, DIMENSIONS)], [at(4, DIMENSIONS)]] }]);
    const events = await retrieve(key.rawApiKey, { explain: true });
    expect(events.at(-1)?.status?.details).toMatchObject({ [`space.${spaceId}`]: 'exact 4' });
  });

  test('sends its question to the provider of now, and to none for a key that was deleted', async () => {
    const [before, after] = await Promise.all([1, 2].map(() => OpenAiStandIn.start({ dimensions: DIMENSIONS })));
    if (before === undefined || after === undefined) throw new Error('no stand-in');
    try {
      const embedder = await world.embedder(DIMENSIONS, { endpointUrl: `${before.url}/v1` });
      spaceId = await world.space([embedder]);
      for (let n = 0; n < 2; n += 1) await retrieve(key.rawApiKey);
      const asked = before.requests.length;
      const endpointUrl = `${after.url}/v1`;
      await sql(
        elsewhere.db,
        "update embedder set endpoint_url = $2, updated_at = updated_at + interval '1 millisecond' where embedder_id = $1",
        [embedder, endpointUrl],
      );
      await retrieve(key.rawApiKey);
      expect([before.requests.length, after.requests.length]).toEqual([asked, 1]);
      await elsewhere.call('deleteApiKey', { apiKeyId: key.apiKeyId }, world.ada);
      expect(await failure(retrieve(key.rawApiKey))).toMatch(/^UNAUTHENTICATED/);
      expect([before.requests.length, after.requests.length]).toEqual([asked, 1]);
    } finally {
      await before.close();
      await after.close();
    }
  });
});

/** What goes to the database in one write each while `work` runs; not the heartbeat, nor what is recorded behind a call. */
async function writesOf(work: () => Promise<unknown>): Promise<string[]> {
  const writes: string[] = [];
  const note = (data: Buffer) => {
    const text = data.toString('latin1');
    if (/guards|select|api_keys|spaces|memor|vector/.test(text) && !/record_use|^Q....select 1\0$/s.test(text)) {
      writes.push(text);
    }
  };
  const { _write: write, _writev: writev } = Socket.prototype;
  const one = vi.spyOn(Socket.prototype, '_write').mockImplementation(function (this: Socket, chunk, ...rest) {
    note(chunk as Buffer);
    write.call(this, chunk, ...rest);
  });
  const several = vi.spyOn(Socket.prototype, '_writev').mockImplementation(function (this: Socket, chunks, done) {
    note(Buffer.concat(chunks.map(({ chunk }) => chunk as Buffer)));
    writev?.call(this, chunks, done);
  });
  try {
    await work();
    return writes;
  } finally {
    one.mockRestore();
    several.mockRestore();
  }
}

test.each(READS.slice(0, 5))('%s is one write', async (operation, request) => {
  const ask = () => server.ask(operation, request(), key.rawApiKey);
  // Each session prepares a statement with its first use of it.
  for (let n = 0; n < 3; n += 1) await ask();
  const writes = await writesOf(ask);
  expect(writes).toHaveLength(1);
  expect(writes[0]).toMatch(/guards\.select/);
});
