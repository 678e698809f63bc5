import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CallContext } from '../../../src/server/context.ts';
import { createTargetClients } from '../../../src/server/providers/clients.ts';
import { createProviderHttp, type ProviderHttp } from '../../../src/server/providers/http.ts';
import { newId } from '../../../src/server/service/resources.ts';
import { embedderKind, llmKind, rerankerKind } from '../../../src/server/service/targets/kinds.ts';
import { createTargetOpener, type TargetOpener } from '../../../src/server/service/targets/open-target.ts';
import type { Db, Queryable } from '../../../src/server/store/db.ts';
import { llmStore } from '../../../src/server/store/llms.ts';
import { rerankerStore } from '../../../src/server/store/rerankers.ts';
import type { NewTarget } from '../../../src/server/store/targets.ts';
import { insertUser } from '../../../src/server/store/users.ts';
import { OPERATIONS } from '../../../src/shared/operations/table.ts';
import { type KeptDatabase, takeDatabase } from '../../support/kept-database.ts';
import { openLog } from '../../support/log.ts';
import { LOOPBACK_POLICY } from '../../support/loopback-policy.ts';
import { newTarget } from '../target.fixture.ts';

const signal = new AbortController().signal;
const ownerId = newId();
const CAPABILITIES = {
  supportsChat: true,
  supportsCompletion: false,
  supportsFunctionCalling: true,
  supportsSystemMessages: false,
  supportsStreaming: true,
  supportsSamplingParameters: true,
};
let database: KeptDatabase;
let db: Db;
let http: ProviderHttp;
let targets: TargetOpener;

beforeAll(async () => {
  database = await takeDatabase();
  db = await database.connect();
  const user = { userId: ownerId, email: 'ada@example.org', displayName: 'Ada', username: null, role: 'USER' } as const;
  await insertUser(db.main, user);
  http = createProviderHttp({ policy: LOOPBACK_POLICY });
  const builtin = () => Promise.reject(new Error('not asked here'));
  const clients = createTargetClients({ http, timeoutMs: 1000, builtin });
  targets = createTargetOpener({ pool: db.main, secretsKey: undefined, clients });
});

afterAll(async () => {
  await http?.close();
  await database?.drop();
});

/** A call by a user with that id. */
function contextOf(userId: string): CallContext {
  return {
    operation: OPERATIONS.getEmbedder,
    requestId: 'test',
    signal,
    caller: { userId, apiKeyId: newId(), role: 'USER', readOnly: false, spaceIds: undefined },
    initToken: undefined,
    files: undefined,
    log: openLog(),
  };
}

const called = ({ id, providerType, endpointUrl, apiPath, modelIdentifier }: NewTarget) => ({
  reach: 'public',
  id,
  providerType,
  endpointUrl,
  apiPath,
  modelIdentifier,
  updatedAt: expect.any(Number),
});

test('an LLM is opened with every field that a call uses', async () => {
  const own = {
    capabilities: CAPABILITIES,
    defaultSamplingParams: { topP: 0.5, stopSequences: ['END'] },
    maxContextLength: 4096,
    clientConfig: { user: 'a', nested: { list: [1, null] } },
  };
  const full = { ...newTarget(newId(), ownerId), ...own };
  await llmStore.insert(db.main, full);
  const { maxContextLength: _, ...sent } = own;
  const open = async (id: string) => (await targets.open(llmKind, id, 'READ', contextOf(ownerId))).record;
  expect(await open(full.id)).toEqual({ ...called(full), ...sent });

  const unset = { defaultSamplingParams: null, maxContextLength: null, clientConfig: null };
  const bare = { ...newTarget(newId(), ownerId), capabilities: CAPABILITIES, ...unset };
  await llmStore.insert(db.main, bare);
  expect(await open(bare.id)).toMatchObject({ defaultSamplingParams: {}, clientConfig: {} });
});

test('a reranker is opened with its credentials, which are unsealed at each call', async () => {
  const credentials = {
    kind: 'CREDENTIAL_KIND_API_KEY',
    headerName: 'X-Key',
    prefix: 'Key ',
    secretRef: { uri: 'env://TARGET_LOADERS_TEST_KEY' },
    labels: {},
  };
  const target = newTarget(newId(), ownerId, { credentials });
  await rerankerStore.insert(db.main, target);
  const { record } = await targets.open(rerankerKind, target.id, 'READ', contextOf(ownerId));
  expect(record).toEqual({ ...called(target), credentials: expect.any(Function) });
  for (const secret of ['one', 'two']) {
    process.env.TARGET_LOADERS_TEST_KEY = secret;
    expect(await record.credentials?.(signal)).toEqual({ 'X-Key': `Key ${secret}` });
  }
  delete process.env.TARGET_LOADERS_TEST_KEY;
});

test('a missing target is named by its kind', async () => {
  const context = contextOf(ownerId);
  const refusal = (kind: string, id: string) => ({ code: 'NOT_FOUND', message: `${kind} not found: ${id}` });
  for (const id of [newId(), 'no id at all']) {
    await expect(targets.open(llmKind, id, 'READ', context)).rejects.toMatchObject(refusal('LLM', id));
    await expect(targets.open(rerankerKind, id, 'READ', context)).rejects.toMatchObject(refusal('Reranker', id));
    await expect(targets.open(embedderKind, id, 'READ', context)).rejects.toMatchObject(refusal('Embedder', id));
    expect(await targets.openIfThere(embedderKind, id, 'PING', context)).toBeUndefined();
  }
  const id = newId();
  await expect(targets.embedders([id], signal)).rejects.toMatchObject(refusal('Embedder', id));
});

test('a target is opened for permitted callers, by one statement', async () => {
  const target = newTarget(newId(), ownerId);
  await rerankerStore.insert(db.main, target);
  const asked: string[] = [];
  const pool: Queryable = {
    query: (statement, ...more) => {
      asked.push(statement.name);
      return db.main.query(statement, ...more);
    },
    execute: (...call) => db.main.execute(...call),
    script: (...call) => db.main.script(...call),
  };
  const builtin = () => Promise.reject(new Error('not asked here'));
  const clients = createTargetClients({ http, timeoutMs: 1000, builtin });
  const { open } = createTargetOpener({ pool, secretsKey: undefined, clients });
  const own = await open(rerankerKind, target.id, 'PING', contextOf(ownerId));
  expect(own.client().resolvedEndpoint).toBe('http://models.example.org/v1/call');
  expect(own.client()).toBe(own.client());
  expect(asked).toEqual(['rerankers.select_many']);
  const refusal = { code: 'PERMISSION_DENIED', message: expect.stringContaining('PING_RERANKER_ANY') };
  await expect(open(rerankerKind, target.id, 'PING', contextOf(newId()))).rejects.toMatchObject(refusal);
});

test('every change changes updatedAt, whatever the clock says', async () => {
  const target = newTarget(newId(), ownerId);
  const made = await rerankerStore.insert(db.main, target);
  const times = new Set([made?.updatedAt]);
  for (let n = 0; n < 3; n += 1) {
    times.add((await rerankerStore.update(db.main, target, ownerId))?.updatedAt);
  }
  expect(times.size).toBe(4);
});

test('a constraint violation is reported in a sentence', async () => {
  const target = newTarget(newId(), ownerId);
  await rerankerStore.insert(db.main, target);
  const again = (more: Partial<NewTarget>) => rerankerStore.insert(db.main, { ...target, ...more });
  const same = {
    code: 'ALREADY_EXISTS',
    message: 'A reranker of this owner with the same endpoint, model and credentials exists already',
  };
  await expect(again({ id: newId() })).rejects.toMatchObject(same);
  const taken = { code: 'ALREADY_EXISTS', message: 'A reranker with this id exists already' };
  await expect(again({ targetFingerprint: 'other' })).rejects.toMatchObject(taken);
  const owner = newTarget(newId(), ownerId, { ownerId: newId() });
  await expect(rerankerStore.insert(db.main, owner)).rejects.toMatchObject({ code: 'FAILED_PRECONDITION' });
});
