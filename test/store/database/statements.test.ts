import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { selectCounts } from '../../../src/server/store/counts.ts';
import type { Db } from '../../../src/server/store/db.ts';
import { migrate, readMigrations } from '../../../src/server/store/migrate.ts';
import { searchVectors } from '../../../src/server/store/vector-search.ts';
import { ProviderType } from '../../../src/shared/gen/service/v1/common_pb.ts';
import { createTestDatabase, testDatabaseKind } from '../../support/database.ts';
import { failure, signal } from '../identity.fixture.ts';
import { statusOf, useMemoryWorld } from '../memory.fixture.ts';
import { promoteOnce } from '../promote.fixture.ts';

const MIGRATIONS = fileURLToPath(new URL('../../../src/server/store/migrations', import.meta.url));
/** A space is large beyond this many vectors here. */
const LIMIT = 60;
const DIMENSIONS = 128;
const FILTER = "CAST(val('$.room') AS TEXT) = 'cellar'";

interface Sent {
  /** Of a prepared statement. */
  name: string | undefined;
  text: string;
}

/** Everything that connections of the server have sent since this file began. */
const sent: Sent[] = [];
/** The names and the texts of docs/sql.md and the migrations, which it names as a whole. */
const page = { names: [] as string[], texts: new Set<string>(), settings: new Set<string>() };

beforeAll(async () => {
  const real = pg.Client.prototype.query as (
    this: pg.Client,
    config: string | pg.QueryConfig,
    ...rest: unknown[]
  ) => void;
  const query = vi.spyOn(pg.Client.prototype, 'query') as unknown as { mockImplementation(by: typeof real): void };
  query.mockImplementation(function (this: pg.Client, config, ...rest) {
    const { name, text } = typeof config === 'string' ? { name: undefined, text: config } : config;
    const { application_name: by } = (this as unknown as { connectionParameters: Record<string, unknown> })
      .connectionParameters;
    // What prepares a database for tests is named so.
    if (by === 'svc' && name?.startsWith('test_') !== true) sent.push({ name, text });
    return real.call(this, config, ...rest);
  });
  const markdown = await readFile(new URL('../../../docs/sql.md', import.meta.url), 'utf8');
  page.names = [...markdown.matchAll(/^### (.+)$/gm)].map(([, name = '']) => name);
  const texts = [...markdown.matchAll(/^```sql\n(.+?)\n```$/gms)].map(([, text = '']) => text);
  const migrations = (await readMigrations(MIGRATIONS)).map(({ sql }) => sql);
  page.texts = new Set([...texts, ...migrations].map(shape));
  page.settings = new Set(
    texts.filter((text) => text.startsWith('set hnsw.')).flatMap((text) => shape(text).split('; ')),
  );
});
afterAll(() => void vi.restoreAllMocks());

const world = useMemoryWorld();

/** A text without the ids, numbers and settings in which two calls differ. */
function shape(text: string): string {
  return text
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>')
    .replaceAll(/vector_[0-9a-f]{32}/g, 'vector_<embedder>')
    .replaceAll(/v([pi])_[0-9a-z]{25}_[0-9a-z]{25}_\d+/g, 'v$1_<embedder>_<space>_n')
    .replaceAll(/halfvec\(\d+\)/g, 'halfvec(n)')
    .replaceAll(/(set hnsw\.\w+ to) '[^']*'/g, "$1 '…'")
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function isOnPage({ name, text }: Sent): boolean {
  const shaped = shape(text);
  // Of the settings of a search, those are sent that the session does not have yet.
  if (page.texts.has(shaped) || shaped.split('; ').every((each) => page.settings.has(each))) return true;
  return page.names.some((known) => known.endsWith('…') && name?.startsWith(known.slice(0, -1)) === true);
}

/** What the page lacks of all that was sent. */
function missing(): string[] {
  return [...new Set(sent.filter((each) => !isOnPage(each)).map(({ name, text }) => `${name ?? ''}: ${shape(text)}`))];
}

/** That there was something to compare: texts that begin so were sent. */
function expectSent(...beginnings: string[][]): void {
  const texts = sent.map(({ text }) => shape(text));
  expect(beginnings.flat().filter((begin) => !texts.some((text) => text.startsWith(begin)))).toEqual([]);
}

test('the start on an empty database', async () => {
  const database = await createTestDatabase({ migrated: false });
  const db = await database.connect();
  await migrate(db, MIGRATIONS);
  await selectCounts(db.main, { exactLimit: -1 });
  // The heartbeat begins a while after the start; the embedded engine needs none.
  if (database.kind === 'postgres') await vi.waitUntil(() => sent.some(({ text }) => text === 'select 1'), 30_000);
  await database.drop();
  expect(missing()).toEqual([]);
  expectSent(
    ['set datestyle', "select current_setting('server_version')", 'create table if not exists schema_migration'],
    ['explain (format json) select from app_user', ...(database.kind === 'postgres' ? ['create extension'] : [])],
  );
});

test('the life of memories, in a space that grows', async () => {
  const large: Db = { ...world.db, capabilities: { ...world.db.capabilities, exactScanLimit: LIMIT } };
  const promote = async () => {
    while (await promoteOnce({ db: large, log: world.deps.log }, signal));
  };
  world.ingest.start();
  const name = 'house';
  const builtin = { providerType: ProviderType.BUILTIN, modelIdentifier: 'lexical-v1', dimensionality: DIMENSIONS };
  const { embedderId } = await world.call('createEmbedder', { displayName: 'Its own', ...builtin }, world.ada);
  const { spaceId } = await world.call('createSpace', { name, embedderId }, world.ada);
  expect(await failure(world.call('createSpace', { name, embedderId }, world.ada))).toMatch(/^ALREADY_EXISTS/);
  const chunkingConfig = { strategy: { case: 'recursive' as const, value: { chunkSize: 9 } } };
  const words = Array.from({ length: LIMIT + 5 }, (_, index) => `word${String(index).padStart(4, '0')}`).join(' ');
  const stored = await world.remember(spaceId, words, { chunkingConfig, metadata: { room: 'cellar' } });
  expect(statusOf(await world.processed(stored.memoryId))).toBe('COMPLETED');
  await promote();
  const later = await world.remember(spaceId, 'a word more', { metadata: { room: 'attic' } });
  await world.processed(later.memoryId);
  await promote();
  await searchVectors(world.db, {
    vectors: { spaceId, embedderId, layout: { version: 1, segments: [] } },
    query: new Float32Array(DIMENSIONS),
    limit: 10,
    order: 'nearest',
    hnsw: { efSearch: 40, iterativeScan: 'strict_order', maxScanTuples: 5000, scanMemMultiplier: 2 },
    filter: undefined,
    exactMatches: 5000,
    memories: 'any',
    bring: { chunks: 10, memories: 10 },
  });
  await world.memory('listMemories', { spaceId, filter: FILTER });
  await world.memory('listChunks', { scope: { case: 'memoryId', value: stored.memoryId }, includeVectors: true });
  const filterSelector = { case: 'filterSelector' as const, value: { spaceId, filter: FILTER } };
  await world.memory('batchDeleteMemory', { requests: [{ selector: filterSelector }] });
  await world.call('deleteSpace', { spaceId }, world.ada);
  await promote();
  await world.call('deleteEmbedder', { embedderId }, world.ada);
  expect(missing()).toEqual([]);
  expectSent(
    testDatabaseKind() === 'postgres' ? ['create index concurrently vi_'] : ['create index vi_', 'discard all'],
    ['set hnsw.ef_search', 'begin isolation level', 'rollback'],
    ["set local lock_timeout to '50ms'; create table vp_", 'drop table if exists vector_'],
    ["set local lock_timeout to '50ms'; drop table if exists vp_"],
  );
});

test('what the page lacks is noticed', () => {
  const ids = 'create index vi_0000000000000000000000000_0000000000000000000000000_1 on t (a)';
  for (const text of ['select 2', 'delete from memory', ids]) expect(isOnPage({ name: undefined, text })).toBe(false);
  expect(isOnPage({ name: 'memories.select_all', text: 'select * from memory' })).toBe(false);
});
