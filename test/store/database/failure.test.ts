import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parseDatabaseUrl } from '../../../src/server/settings/database-url.ts';
import type { Db } from '../../../src/server/store/db.ts';
import { openDatabase } from '../../../src/server/store/open.ts';
import { createTestDatabase, type TestDatabase, testDatabaseKind } from '../../support/database.ts';

const ONE = { name: 'test_one', text: 'select 1 as one' };
const INSERT = { name: 'test_insert', text: 'insert into item (id) values ($1)' };
const COUNT = { name: 'test_count', text: 'select count(*) as n from item' };

/** A way to the database that can be cut: at once, or right after certain bytes have gone to the server. */
interface Line {
  readonly port: number;
  /** Drops every connection now. */
  cut(): void;
  /** Lets these bytes through and then the connection fall silent; nothing of the answer comes back. */
  cutAfter(text: string): void;
  close(): Promise<void>;
}

async function openLine(targetPort: number): Promise<Line> {
  const open = new Set<Socket>();
  let trigger: string | undefined;
  const server: Server = createServer((client) => {
    const upstream = connect(targetPort, '127.0.0.1');
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => open.delete(socket));
    }
    client.on('data', (data) => {
      const last = trigger !== undefined && data.includes(trigger);
      if (last) upstream.unpipe(client);
      upstream.write(data, () => {
        if (last) setTimeout(() => client.destroy(), 200);
      });
    });
    upstream.pipe(client);
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const cut = () => {
    for (const socket of open) socket.destroy();
  };
  return {
    port: address.port,
    cut,
    cutAfter(text) {
      trigger = text;
    },
    close: () =>
      new Promise((resolve) => {
        cut();
        server.close(() => resolve());
      }),
  };
}

let database: TestDatabase;
let direct: Db;

beforeAll(async () => {
  database = await createTestDatabase({ migrated: false });
  direct = await database.connect();
  await direct.main.script('create table item (id int8 primary key)');
});
afterAll(() => database.drop());
beforeEach(() => direct.main.script('truncate item'));

const count = async () => (await direct.main.query<{ n: number }>(COUNT))[0]?.n;

/** Asks until it is so; the test's own time-out bounds it. */
async function until(isSo: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 20));
}

describe('closing', () => {
  test('refuses new calls and lets running ones finish', async () => {
    const other = await createTestDatabase({ migrated: false });
    const db = await other.connect();
    const running = db.main.withTx((tx) => tx.query(ONE));
    await new Promise((resolve) => setImmediate(resolve));
    const closed = db.close();
    await expect(db.main.query(ONE)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(await running).toEqual([{ one: 1 }]);
    await closed;
    await other.drop();
  });
});

if (testDatabaseKind() === 'postgres') {
  describe('a broken connection', () => {
    let line: Line;
    let db: Db;

    beforeEach(async () => {
      const url = new URL(database.url ?? '');
      line = await openLine(Number(url.port));
      const target = { ...parseDatabaseUrl(url.href), port: line.port };
      db = await openDatabase({ target, main: { minIdle: 2, max: 3 } });
    });
    afterEach(async () => {
      await db.close(0);
      await line.close();
    });

    test('is replaced: the minimum is open again', async () => {
      line.cut();
      await until(() => db.stats().main.idle === 0);
      await until(() => db.stats().main.idle === 2);
      expect(await db.main.query(ONE)).toEqual([{ one: 1 }]);
    });

    test('under a read is UNAVAILABLE', async () => {
      line.cutAfter('select 1');
      await expect(db.main.query(ONE)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    });

    test('before the commit is UNAVAILABLE, and nothing was done', async () => {
      line.cutAfter('insert into item');
      await expect(db.main.withTx((tx) => tx.execute(INSERT, [1]))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
      expect(await count()).toBe(0);
    });

    test('under a commit is INTERNAL: it is in doubt', async () => {
      line.cutAfter('commit');
      await expect(db.main.withTx((tx) => tx.execute(INSERT, [1]))).rejects.toMatchObject({
        code: 'INTERNAL',
        message: expect.stringMatching(/not known whether/),
      });
      await until(async () => (await count()) === 1);
    });

    test('under a single write is in doubt as well', async () => {
      line.cutAfter('insert into item');
      await expect(db.main.execute(INSERT, [1])).rejects.toMatchObject({
        code: 'INTERNAL',
        message: expect.stringMatching(/not known whether/),
      });
      await until(async () => (await count()) === 1);
    });

    test('that an administrator terminated is UNAVAILABLE, and the pool recovers', async () => {
      const work = db.main.withTx(async (tx) => {
        const [row] = await tx.query<{ pid: number }>({ name: 'test_pid', text: 'select pg_backend_pid() as pid' });
        await direct.main.query({ name: 'test_kill', text: 'select pg_terminate_backend($1)' }, [row?.pid]);
        await tx.query({ name: 'test_sleep', text: 'select pg_sleep(600)' });
      });
      await expect(work).rejects.toMatchObject({ code: 'UNAVAILABLE' });
      await until(() => db.stats().main.idle === 2);
      expect(await db.main.query(ONE)).toEqual([{ one: 1 }]);
    });
  });

  describe('canceling', () => {
    const sleep = { name: 'test_sleep_long', text: 'select pg_sleep(600)' };
    const asleep = async () => {
      const [row] = await direct.background.query<{ n: number }>({
        name: 'test_activity',
        text: `select count(*) as n from pg_stat_activity
               where datname = current_database() and state = 'active' and query like 'select pg_sleep%'`,
      });
      return row?.n;
    };

    test('stops the statement on the server and keeps the connection', async () => {
      const controller = new AbortController();
      const work = direct.main.query(sleep, [], { signal: controller.signal }).catch((error: unknown) => error);
      await until(async () => (await asleep()) === 1);
      controller.abort();
      expect(await work).toMatchObject({ code: 'DEADLINE_EXCEEDED' });
      await until(async () => (await asleep()) === 0);
      await until(() => direct.stats().main.used === 0);
      expect(direct.stats().main.idle).toBeGreaterThanOrEqual(2);
    });

    test('does not cancel the next statement on the same connection', async () => {
      const url = database.url ?? '';
      const db = await openDatabase({ target: parseDatabaseUrl(url), main: { minIdle: 1, max: 1 } });
      for (let round = 0; round < 50; round += 1) {
        const aborted = db.main.query(sleep, [], { timeoutMs: round % 5 }).catch((error: unknown) => error);
        const next = db.main.query({ name: 'test_nap', text: 'select pg_sleep(0.005)' });
        expect(await aborted).toMatchObject({ code: 'DEADLINE_EXCEEDED' });
        await next;
      }
      expect(db.stats().main).toEqual({ idle: 1, used: 0, waiting: 0 });
      await db.close();
    });

    test('of a statement that its transaction did not await does not cancel the next one either', async () => {
      const url = database.url ?? '';
      const db = await openDatabase({ target: parseDatabaseUrl(url), main: { minIdle: 1, max: 1 } });
      const nap = { name: 'test_nap', text: 'select pg_sleep(0.003)' };
      for (let round = 0; round < 50; round += 1) {
        const left: Promise<unknown>[] = [];
        const work = db.main.withTx(async (tx) => {
          left.push(tx.query(nap, [], { timeoutMs: 1 + (round % 5) }).catch(() => undefined));
          throw new Error('given up');
        });
        const next = db.main.query(nap);
        await expect(work).rejects.toThrow('given up');
        await next;
        await Promise.all(left);
      }
      await db.close();
    });

    test('of a transaction releases its locks', async () => {
      const controller = new AbortController();
      const work = direct.main
        .withTx(
          async (tx) => {
            await tx.script('lock table item');
            await tx.query(sleep);
          },
          { signal: controller.signal },
        )
        .catch((error: unknown) => error);
      await until(async () => (await asleep()) === 1);
      controller.abort();
      await work;
      expect(await direct.main.execute(INSERT, [5])).toBe(1);
    });
  });

  describe('waiting for a connection', () => {
    test('ends at its timeout', async () => {
      const url = database.url ?? '';
      const db = await openDatabase({
        target: parseDatabaseUrl(url),
        main: { minIdle: 1, max: 1 },
        acquireTimeoutMs: 100,
      });
      await db.main.withSession(async () => {
        await expect(db.main.query(ONE)).rejects.toMatchObject({
          code: 'UNAVAILABLE',
          message: 'All database connections were in use for 0.1 seconds',
        });
      });
      await db.close();
    });
  });
}
