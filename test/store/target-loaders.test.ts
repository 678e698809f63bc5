import { afterAll, beforeAll, expect, test } from 'vitest';
import { createEmbedderLoader } from '../../src/server/service/embedders/load-embedders.ts';
import { createLlmLoader } from '../../src/server/service/llms/load-llm.ts';
import { createRerankerLoader } from '../../src/server/service/rerankers/load-reranker.ts';
import { newId } from '../../src/server/service/resource-ids.ts';
import type { Db } from '../../src/server/store/db.ts';
import { llmStore } from '../../src/server/store/llms.ts';
import { rerankerStore } from '../../src/server/store/rerankers.ts';
import type { NewTarget } from '../../src/server/store/target-rows.ts';
import { insertUser } from '../../src/server/store/users.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { newTarget } from './target-fixture.ts';

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
let database: TestDatabase;
let db: Db;

beforeAll(async () => {
  database = await createTestDatabase();
  db = await database.connect();
  const user = { userId: ownerId, email: 'ada@example.org', displayName: 'Ada', username: null, role: 'USER' } as const;
  await insertUser(db.main, user);
});

afterAll(async () => {
  await database?.drop();
});

const called = ({ id, providerType, endpointUrl, apiPath, modelIdentifier }: NewTarget) => ({
  reach: 'public',
  id,
  providerType,
  endpointUrl,
  apiPath,
  modelIdentifier,
  updatedAt: expect.any(Number),
});

test('an LLM is loaded with all that a call of it says', async () => {
  const { loadLlm } = createLlmLoader({ pool: db.main, secretsKey: undefined });
  const own = {
    capabilities: CAPABILITIES,
    defaultSamplingParams: { topP: 0.5, stopSequences: ['END'] },
    maxContextLength: 4096,
    clientConfig: { user: 'a', nested: { list: [1, null] } },
  };
  const full = { ...newTarget(newId(), ownerId), ...own };
  await llmStore.insert(db.main, full);
  const { maxContextLength: _, ...sent } = own;
  expect(await loadLlm(full.id, signal)).toEqual({ ...called(full), ...sent });

  const unset = { defaultSamplingParams: null, maxContextLength: null, clientConfig: null };
  const bare = { ...newTarget(newId(), ownerId), capabilities: CAPABILITIES, ...unset };
  await llmStore.insert(db.main, bare);
  expect(await loadLlm(bare.id, signal)).toMatchObject({ defaultSamplingParams: {}, clientConfig: {} });
});

test('a reranker is loaded with its credentials, which are opened at each call', async () => {
  const { loadReranker } = createRerankerLoader({ pool: db.main, secretsKey: undefined });
  const credentials = {
    kind: 'CREDENTIAL_KIND_API_KEY',
    headerName: 'X-Key',
    prefix: 'Key ',
    secretRef: { uri: 'env://TARGET_LOADERS_TEST_KEY' },
    labels: {},
  };
  const target = newTarget(newId(), ownerId, { credentials });
  await rerankerStore.insert(db.main, target);
  const record = await loadReranker(target.id, signal);
  expect(record).toEqual({ ...called(target), credentials: expect.any(Function) });
  for (const secret of ['one', 'two']) {
    process.env.TARGET_LOADERS_TEST_KEY = secret;
    expect(await record.credentials?.(signal)).toEqual({ 'X-Key': `Key ${secret}` });
  }
  delete process.env.TARGET_LOADERS_TEST_KEY;
});

test('what does not exist is named by its kind', async () => {
  const deps = { pool: db.main, secretsKey: undefined };
  const id = newId();
  const refusal = (kind: string) => ({ code: 'NOT_FOUND', message: `${kind} not found: ${id}` });
  await expect(createLlmLoader(deps).loadLlm(id, signal)).rejects.toMatchObject(refusal('LLM'));
  await expect(createRerankerLoader(deps).loadReranker(id, signal)).rejects.toMatchObject(refusal('Reranker'));
  await expect(createEmbedderLoader(deps).loadEmbedder(id, signal)).rejects.toMatchObject(refusal('Embedder'));
});

test('a change makes the time of the last change another one, whatever the clock says', async () => {
  const target = newTarget(newId(), ownerId);
  const made = await rerankerStore.insert(db.main, target);
  const times = new Set([made?.updatedAt]);
  for (let n = 0; n < 3; n += 1) {
    times.add((await rerankerStore.update(db.main, target, ownerId))?.updatedAt);
  }
  expect(times.size).toBe(4);
});

test('a break of a rule of the schema is told in words', async () => {
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
