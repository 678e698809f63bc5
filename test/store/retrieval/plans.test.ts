import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseFilter } from '../../../src/server/service/filter/parse-filter.ts';
import type { Db, Pool, Statement } from '../../../src/server/store/db.ts';
import { selectVectorLayout, type VectorLayout } from '../../../src/server/store/vector-layout.ts';
import { scoreChunks, searchVectors, type VectorSearch } from '../../../src/server/store/vector-search.ts';
import { testDatabaseKind } from '../../support/database.ts';
import { openLog } from '../../support/log.ts';
import { signal, sql } from '../identity.fixture.ts';
import { promoteOnce } from '../promote.fixture.ts';
import { at, HNSW, randomVectors, useRetrievalWorld } from './retrieval.fixture.ts';

const DIMENSIONS = 64;
const LARGE = 6000;
const SMALL = 400;

/** A statement as it went to the database, with what PostgreSQL needs to explain it. */
interface Sent extends Statement {
  values: readonly unknown[];
}

interface Node {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Index Cond'?: string;
  'Plan Rows': number;
  Plans?: Node[];
}

/** What statistics, several sessions and cancellation do to a search; the embedded engine has none of them. */
function onPostgres(): void {
  const world = useRetrievalWorld(DIMENSIONS);
  let embedder: string;
  let large: string;
  let largeIds: string[];
  let ownLayout: VectorLayout;
  const small: string[] = [];
  let client: pg.Client;

  beforeAll(async () => {
    embedder = await world.embedder();
    large = await world.space([embedder]);
    const add = (spaceId: string, count: number, seed: number) =>
      world.add(
        spaceId,
        randomVectors(count, DIMENSIONS, seed).map((vector) => ({ chunks: [[vector]] })),
      );
    largeIds = await add(large, LARGE, 1);
    while (await promoteOnce({ db: world.db, log: openLog() }, signal));
    const layout = await selectVectorLayout(world.db.main, { spaceId: large, embedderId: embedder });
    if (layout === undefined) throw new Error('the space has no embedder');
    ownLayout = layout;
    for (let n = 0; n < 15; n += 1) {
      const spaceId = await world.space([embedder]);
      small.push(spaceId);
      await add(spaceId, SMALL, n + 2);
    }
    client = new pg.Client({ connectionString: world.database.url });
    await client.connect();
    await client.query('set jit to off');
  });
  afterAll(() => client?.end());

  /** Runs a search and gives back the statement that it sent. */
  async function sentBy(run: (db: Db) => Promise<unknown>): Promise<Sent> {
    const sent: Sent[] = [];
    const spy = (values: readonly unknown[], statement: Statement) => sent.push({ ...statement, values });
    const main: Pool = Object.assign(Object.create(world.db.main) as Pool, {
      query: (statement: Statement, values: readonly unknown[] = [], options = {}) => {
        spy(values, statement);
        return world.db.main.query(statement, values, options);
      },
      pipelined: (settings: Record<string, string>, statement: Statement, values: readonly unknown[] = []) => {
        spy(values, statement);
        return world.db.main.pipelined(settings, statement, values);
      },
    });
    await run({ ...world.db, main });
    const [first] = sent;
    if (first === undefined) throw new Error('nothing was sent');
    return first;
  }

  function searching(spaceId: string, isLarge: boolean, more: Partial<VectorSearch> = {}): Promise<Sent> {
    const search: VectorSearch = {
      vectors: { spaceId, embedderId: embedder, layout: isLarge ? ownLayout : { version: 0, segments: [] } },
      query: at(30, DIMENSIONS),
      limit: 20,
      order: 'nearest',
      hnsw: isLarge ? HNSW : undefined,
      filter: undefined,
      exactMatches: 5000,
      memories: 'any',
      bring: { chunks: 20, memories: 20 },
      ...more,
    };
    return sentBy((db) => searchVectors(db, search));
  }

  async function explained({ text, values }: Sent): Promise<Node[]> {
    const { rows } = await client.query(`explain (format json) ${text}`, [...values]);
    return flat(rows[0]['QUERY PLAN'][0].Plan as Node);
  }

  function flat(node: Node): Node[] {
    return [node, ...(node.Plans ?? []).flatMap(flat)];
  }

  const scansOf = (nodes: readonly Node[]) => nodes.filter((node) => /Scan/.test(node['Node Type']));
  const usesVectorIndex = (nodes: readonly Node[]) => nodes.some((node) => node['Index Name']?.startsWith('vi_'));

  /** Statistics decide between plans, and come when autovacuum pleases: a plan must be right without and with them. */
  const analyzed = test.each([false, true]);

  analyzed('a large space is read through its vector index (analyzed: %s)', async (isAnalyzed) => {
    if (isAnalyzed) await sql(world.db, 'analyze');
    expect(usesVectorIndex(await explained(await searching(large, true)))).toBe(true);
    expect(usesVectorIndex(await explained(await searching(large, true, { memories: 'retrievable' })))).toBe(true);
    const filter = parseFilter(`CAST(val('$.room') AS TEXT) = 'attic'`, 'filter');
    expect(usesVectorIndex(await explained(await searching(large, true, { filter })))).toBe(true);
  });

  analyzed(
    'a filter finds its memories by their keys, and their vectors by the memory (analyzed: %s)',
    async (isAnalyzed) => {
      if (isAnalyzed) await sql(world.db, 'analyze');
      const filter = parseFilter(`CAST(val('$.room') AS TEXT) = 'attic'`, 'filter');
      for (const sent of [
        await searching(large, true, { filter }),
        await searching(small[0] ?? '', false, { filter }),
      ]) {
        const scans = scansOf(await explained(sent));
        expect(scans.map((node) => node['Index Name'])).toContain('memory_filter_keys');
        const conditions = scans
          .filter((node) => node['Index Name']?.endsWith('_pkey'))
          .map((node) => node['Index Cond']);
        expect(conditions.join('\n')).toMatch(/indexed = (true|false).*memory_id = (few|matching)\.memory_id/s);
      }
    },
  );

  analyzed('a small space is read through the primary key of what it shares (analyzed: %s)', async (isAnalyzed) => {
    if (isAnalyzed) await sql(world.db, 'analyze');
    for (const spaceId of small) {
      const nodes = await explained(await searching(spaceId, false));
      const scan = scansOf(nodes).find((node) => node['Index Name']?.endsWith('_shared_pkey'));
      expect(scan?.['Index Cond']).toMatch(/space_id = .*indexed = false/s);
      const isWhole = (node: Node) => node['Node Type'] === 'Seq Scan' && node['Relation Name']?.endsWith('_shared');
      expect(scansOf(nodes).some(isWhole)).toBe(false);
    }
  });

  analyzed('the plan of a search is kept for all spaces (analyzed: %s)', async (isAnalyzed) => {
    if (isAnalyzed) await sql(world.db, 'analyze');
    const [first = '', second = ''] = small;
    for (const searches of [[first, second], [large]]) {
      const name = `kept ${searches.length} ${isAnalyzed}`;
      // PostgreSQL plans five times with the values before it compares what a plan without them costs.
      for (let turn = 0; turn < 7; turn += 1) {
        const { text, values } = await searching(searches[turn % searches.length] ?? '', searches.includes(large));
        await client.query({ name, text, values: [...values] });
      }
      const { rows } = await client.query(
        'select generic_plans::int as kept from pg_prepared_statements where name = $1',
        [name],
      );
      expect(rows).toEqual([{ kept: 2 }]);
    }
  });

  analyzed('an exact scan of a large space uses no vector index (analyzed: %s)', async (isAnalyzed) => {
    if (isAnalyzed) await sql(world.db, 'analyze');
    expect(usesVectorIndex(await explained(await searching(large, true, { hnsw: undefined })))).toBe(false);
    expect(usesVectorIndex(await explained(await searching(large, true, { order: 'farthest' })))).toBe(false);
  });

  test('scoring candidates uses the whole primary key, whatever the size of the space', async () => {
    await sql(world.db, 'analyze');
    const keys = largeIds.slice(0, 40).map((memoryId) => ({ memoryId, sequence: 0 }));
    const vectors = { spaceId: large, embedderId: embedder, layout: ownLayout };
    const sent = await sentBy((db) => scoreChunks(db, vectors, at(0, DIMENSIONS), keys));
    const others = ['seqscan', 'bitmapscan', 'hashjoin', 'mergejoin'];
    for (const other of others) await client.query(`set enable_${other} to off`);
    const nodes = await explained(sent);
    for (const other of others) await client.query(`reset enable_${other}`);
    const conditions = scansOf(nodes).flatMap((node) => node['Index Cond'] ?? []);
    expect(conditions.join('\n')).toMatch(/space_id.*indexed = true.*memory_id.*sequence/);
  });

  test('a prepared statement keeps its index after many executions', async () => {
    const cases = [
      { sent: await searching(large, true), index: /\bvi_/ },
      { sent: await searching(small[0] ?? '', false), index: /_shared_pkey/ },
    ];
    for (const { sent, index } of cases) {
      const { name, text, values } = sent;
      for (let n = 0; n < 8; n += 1) await client.query({ name, text, values: [...values] });
      const { rows } = await client.query(
        'select generic_plans::int4 as generic, custom_plans::int4 as custom from pg_prepared_statements where name = $1',
        [name],
      );
      expect(rows[0].generic + rows[0].custom).toBe(8);
      const vector = `[${at(30, DIMENSIONS).join()}]`;
      const rest = values.slice(1).map((value) => `'${String(value)}'`);
      for (const mode of ['auto', 'force_generic_plan']) {
        await client.query(`set plan_cache_mode to ${mode}`);
        const plan = await client.query(`explain execute "${name}" ('${vector}', ${rest})`);
        expect(plan.rows.map((row) => row['QUERY PLAN']).join('\n')).toMatch(index);
      }
      await client.query('reset plan_cache_mode');
    }
  });

  test('few statements serve every limit', async () => {
    const names = new Set<string>();
    for (let limit = 1; limit <= 1000; limit += 37) names.add((await searching(small[0] ?? '', false, { limit })).name);
    expect(names.size).toBeLessThanOrEqual(8);
  });

  test('an aborted search leaves no query running', async () => {
    const blocker = new pg.Client({ connectionString: world.database.url });
    await blocker.connect();
    try {
      const [spaceId = ''] = small;
      const plan = await world.plan(spaceId);
      await blocker.query(`begin; lock table vector_${embedder.replaceAll('-', '')}_shared in access exclusive mode`);
      const leaving = new AbortController();
      const vectors = { [embedder]: at(0, DIMENSIONS) };
      const found = world.find([plan], vectors, { signal: leaving.signal }).catch((error: unknown) => error);
      const waiting = async () =>
        // Not the blocker: within a transaction this view never changes.
        (
          await client.query(
            `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
             and query like '%similarity%' and pid <> pg_backend_pid()`,
          )
        ).rowCount;
      await expect.poll(waiting, { timeout: 20_000 }).toBe(1);
      leaving.abort(new Error('the client left'));
      expect(await found).toBeInstanceOf(Error);
      await expect.poll(waiting, { timeout: 20_000 }).toBe(0);
    } finally {
      await blocker.end();
    }
  });
}

if (testDatabaseKind() === 'postgres') describe('on PostgreSQL', onPostgres);

describe('aborts', () => {
  const world = useRetrievalWorld();

  test('an aborted search rejects with the reason, and the next one works', async () => {
    const embedder = await world.embedder();
    const spaceId = await world.space([embedder]);
    await world.add(spaceId, [{ chunks: [[at(0)]] }]);
    const plan = [await world.plan(spaceId)];
    const leaving = new AbortController();
    const found = world.find(plan, { [embedder]: at(0) }, { signal: leaving.signal });
    leaving.abort(new Error('the client left'));
    await expect(found).rejects.toThrow();
    expect((await world.find(plan, { [embedder]: at(0) })).chunks).toHaveLength(1);
  });
});
