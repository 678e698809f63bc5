import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Db } from '../../../src/server/store/db.ts';
import { segmentIndex, segmentTable, sharedPartition, vectorTable } from '../../../src/server/store/vector-tables.ts';
import { Role } from '../../../src/shared/gen/service/v1/user_pb.ts';
import { type KeptDatabase, takeDatabase } from '../../support/kept-database.ts';
import { failure, type Identity, openIdentity, signal, sql } from '../identity.fixture.ts';

let database: KeptDatabase;
let db: Db;
let fresh: Identity;
let guarded: Identity;

beforeAll(async () => {
  database = await takeDatabase();
  db = await database.connect();
  fresh = await openIdentity(db);
  guarded = await openIdentity(db, { initToken: 'open sesame' });
});
afterAll(() => database.drop());

describe('system/init', () => {
  test('refuses a missing or wrong init token, and creates nothing', async () => {
    expect(await failure(guarded.call('initializeSystem', {}))).toMatch(/^UNAUTHENTICATED/);
    const wrong = { initToken: 'open sesamE' };
    expect(await failure(guarded.call('initializeSystem', {}, undefined, wrong))).toMatch(/^UNAUTHENTICATED/);
    expect(await sql(db, 'select from app_user')).toHaveLength(0);
  });

  test('lets exactly one of concurrent calls succeed and refuses the others', async () => {
    const calls = Array.from({ length: 8 }, () => fresh.call('initializeSystem', {}));
    const token = guarded.call('initializeSystem', {}, undefined, { initToken: 'open sesame' });
    const answers = await Promise.all([...calls, token]);
    const first = answers.filter(({ alreadyInitialized }) => !alreadyInitialized);
    expect(first).toHaveLength(1);
    expect(first[0]?.rootApiKey).toMatch(/^svc_[a-z2-7]{32}$/);
    const others = answers.filter(({ alreadyInitialized }) => alreadyInitialized);
    expect(others.every(({ rootApiKey, userId }) => rootApiKey === undefined && userId === undefined)).toBe(true);

    const root = await fresh.authenticate(first[0]?.rootApiKey ?? '', signal);
    expect(root).toMatchObject({ userId: first[0]?.userId, role: 'ROOT', readOnly: false, spaceIds: undefined });
    const user = await fresh.call('getUser', {}, root);
    expect(user).toMatchObject({
      username: 'root',
      email: 'root@localhost',
      displayName: 'System Root User',
      role: Role.ROOT,
    });
    const { keys } = await fresh.call('listApiKeys', {}, root);
    expect(keys.map(({ labels }) => labels)).toEqual([{ purpose: 'admin' }]);
    expect(await sql(db, 'select from api_key')).toHaveLength(1);
  });

  test('registers the built-in embedder on the embedded database only', async () => {
    const rows = await sql<{ id: string; provider: string; labels: object; dimensionality: number }>(
      db,
      'select embedder_id as id, provider_type as provider, labels, dimensionality from embedder',
    );
    if (!db.capabilities.embedded) {
      expect(rows).toEqual([]);
      return;
    }
    expect(rows).toMatchObject([{ provider: 'BUILTIN', labels: { default: 'true' }, dimensionality: 1024 }]);
    const [table] = await sql<{ name: string | null }>(db, 'select to_regclass($1) as name', [
      vectorTable(rows[0]?.id ?? ''),
    ]);
    expect(table?.name).toBe(vectorTable(rows[0]?.id ?? ''));
  });
});

test('the names of vector tables stay within 63 bytes and differ between spaces', () => {
  const embedder = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  const own = (spaceId: string, number: number) =>
    [segmentTable, segmentIndex].map((nameOf) => nameOf({ embedderId: embedder, spaceId }, number));
  const names = own(embedder, 9_999_999);
  for (const name of [vectorTable(embedder), sharedPartition(embedder), ...names]) {
    expect(name).toMatch(/^[a-z][a-z0-9_]{0,62}$/);
  }
  const others = [...own('ffffffff-ffff-ffff-ffff-fffffffffffe', 9_999_999), ...own(embedder, 1)];
  expect(new Set([...names, ...others]).size).toBe(6);
});

describe('system/info', () => {
  test('shows the version alone without a key, and the build with one', async () => {
    const bare = await fresh.call('getSystemInfo', {});
    expect(bare).toMatchObject({ version: '1.4.2-rc.1', major: 1, minor: 4, patch: 2, dirty: false });
    expect([bare.gitCommit, bare.capabilities]).toEqual([undefined, undefined]);
    const caller = { userId: 'u', apiKeyId: 'k', role: 'USER', readOnly: false, spaceIds: undefined } as const;
    const full = await fresh.call('getSystemInfo', {}, caller);
    expect(full).toMatchObject({ gitCommit: '3f9c2d1', capabilities: { capabilities: { ocr: 'false' } } });
  });
});
