import type pg from 'pg';
import { parseDatabaseUrl } from '../../src/server/settings/database-url.ts';
import { sessionSetup } from '../../src/server/store/connect.ts';
import { selectCounts } from '../../src/server/store/counts.ts';
import type { Db, Pool, Queryable } from '../../src/server/store/db.ts';
import { PoolExecutor } from '../../src/server/store/executor.ts';
import { HEARTBEAT } from '../../src/server/store/heartbeat.ts';
import { MIGRATION_TABLE } from '../../src/server/store/migrate.ts';
import { probeServer } from '../../src/server/store/probe.ts';
import { Session } from '../../src/server/store/session.ts';
import type { SessionPool } from '../../src/server/store/session-pool.ts';
import { replaceSegments } from '../../src/server/store/vector-merge.ts';
import {
  buildSegmentIndex,
  createSegment,
  dropSegmentTable,
  vacuumShared,
} from '../../src/server/store/vector-promotion.ts';
import { searchVectors } from '../../src/server/store/vector-search.ts';
import { createVectorTable, dropVectorTable, segmentTable } from '../../src/server/store/vector-tables.ts';
import { EMBEDDER, GROWN, INDEXED_SEARCH, OWN } from './composed.ts';

/** What has no plan: what it is for, and the texts that one call sends, in their order. */
export interface Command {
  name: string;
  purpose: string;
  texts: string[];
}

/** A row of every statement whose answer decides what is sent next. */
const ROW = {
  version: '17.5',
  version_number: 170_005,
  standby: false,
  schema: 'public',
  may_create_tables: true,
  available: '0.8.2',
  reachable: true,
  isLocked: true,
  users: 1,
  spaces: 1,
  memories: 1,
  PENDING: 1,
  RUNNING: 1,
  jobs: 1,
  'QUERY PLAN': [{ Plan: { 'Plan Rows': 1 } }],
};

/** A session in place of one with a database; takes what has no name, which is what no statement of the page is. */
function recorder() {
  const texts: string[] = [];
  let hasExtension = false;
  const query = async ({ text, name }: { text: string; name?: string }) => {
    if (name === undefined) texts.push(text);
    const rows = [{ ...ROW, installed: hasExtension ? ROW.available : null }];
    hasExtension ||= text.startsWith('create extension');
    return { rows, rowCount: 1, command: 'COMMIT' };
  };
  const client = { query, on() {}, connection: { stream: { cork() {}, uncork() {} } } };
  const session = new Session(client as unknown as pg.Client, undefined);
  const sessions = { acquire: async () => session, release() {} } as unknown as SessionPool;
  const bounds = { statementTimeoutMs: 60_000, commitTimeoutMs: 60_000 };
  return { texts, session, pool: new PoolExecutor(sessions, () => {}, bounds) };
}

const URL = 'postgresql://svc@db.lan/svc?currentSchema=app,public';
const setup = (embedded: boolean) =>
  sessionSetup({ embedded, searchPath: parseDatabaseUrl(embedded ? 'postgresql://svc@db.lan/svc' : URL).searchPath });
const searchSemaphore: Db['searchSemaphore'] = { run: (work) => work({}) };
const anything = (tx: Queryable) => tx.query({ name: 'any', text: 'select' });
const failing = () => Promise.reject(new Error('any failure'));

type Call = (on: { session: Session; pool: Pool; texts: string[] }) => Promise<unknown>;

const COMMANDS: readonly (readonly [name: string, purpose: string, call: Call])[] = [
  [
    'session',
    'What every new connection runs; the search path only where the database URL has `currentSchema`',
    async ({ texts }) => texts.push(...setup(false)),
  ],
  ['session, embedded', 'The same on the embedded engine', async ({ texts }) => texts.push(...setup(true))],
  [
    'probe',
    'What the server is and may do, at the start; the extension is created where it is missing, and the probe repeated',
    ({ session }) => probeServer(session, 'primary'),
  ],
  ['heartbeat', 'Whether the database answers, every second and a half', async ({ texts }) => texts.push(HEARTBEAT)],
  [
    'migration',
    'Makes the table of the applied migrations; the migrations follow, each sent as it stands in its file',
    async ({ texts }) => texts.push(MIGRATION_TABLE),
  ],
  ['transaction', 'Around the statements that belong together', ({ pool }) => pool.withTx(anything)],
  [
    'transaction, read only',
    'Around statements that are to see the same rows',
    ({ pool }) => pool.withTx(anything, { isolation: 'repeatable read', readOnly: true }),
  ],
  [
    'transaction, failed',
    'Undoes what a failed transaction has written; also ends a statement that was canceled',
    ({ pool }) => pool.withTx(failing).catch(() => {}),
  ],
  [
    'session, search',
    'In front of a search of an index, the settings that its session does not have yet',
    ({ pool }) => searchVectors({ main: pool, searchSemaphore } as Db, INDEXED_SEARCH),
  ],
  [
    'counts.estimate',
    'How many rows there are by estimate, where counting them would take long; its answer is a plan',
    ({ pool }) => selectCounts(pool, { exactLimit: 0 }),
  ],
  [
    'vector_tables.create',
    'Makes the vector table of a new embedder; above 4000 dimensions the storage is `external`',
    ({ pool }) => createVectorTable(pool, { embedderId: EMBEDDER, dimensionality: 1024 }),
  ],
  ['vector_tables.drop', 'Drops the vector table of a deleted embedder', ({ pool }) => dropVectorTable(pool, EMBEDDER)],
  [
    'vector_promotion.create',
    'Makes a segment for a space',
    ({ pool }) => createSegment(pool, GROWN, { state: 'PLAIN' }),
  ],
  [
    'vector_promotion.create, embedded',
    'The same on the embedded engine, with its index, which is filled call by call',
    ({ pool }) => createSegment(pool, GROWN, { state: 'INDEXED' }),
  ],
  [
    'vector_promotion.build_index',
    'Builds the index of a segment; with one worker where parallel builds are not safe',
    ({ pool }) => buildSegmentIndex(pool, { ...OWN, number: 1 }, { parallel: false }),
  ],
  [
    'vector_promotion.vacuum',
    'Frees the room of vectors that were moved into a segment',
    ({ pool }) => vacuumShared(pool, EMBEDDER),
  ],
  [
    'vector_merge.replace',
    'How long a segment waits for others before it takes their place',
    ({ pool }) => replaceSegments(pool, OWN, { number: 2, replaces: [1] }),
  ],
  [
    'vector_promotion.drop',
    'Drops a segment that no space has any more',
    ({ pool }) => dropSegmentTable(pool, segmentTable(OWN, 1)),
  ],
];

/** Each of them as its call sends it. */
export async function commands(): Promise<Command[]> {
  const made: Command[] = [];
  for (const [name, purpose, call] of COMMANDS) {
    const on = recorder();
    await call(on);
    made.push({ name, purpose, texts: [...new Set(on.texts)] });
  }
  return made;
}
