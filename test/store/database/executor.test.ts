import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Db } from '../../../src/server/store/db.ts';
import { ServiceError } from '../../../src/shared/errors.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

const COUNT = { name: 'test_count', text: 'select count(*) as n from item' };
const INSERT = { name: 'test_insert', text: 'insert into item (id) values ($1)' };
const ONE = { name: 'test_one', text: 'select 1 as one' };
/** Takes far longer than the bounds below, and the embedded engine has nothing that could stop it. */
const SLOW = { name: 'test_slow', text: 'select count(*) from generate_series(1, 2000000)' };

let database: TestDatabase;
let db: Db;
const seen: [string, boolean][] = [];

beforeAll(async () => {
  database = await createTestDatabase({ migrated: false });
  db = await database.connect({
    main: { minIdle: 2, max: 4 },
    onQuery: (name, seconds, ok) => {
      expect(seconds).toBeGreaterThanOrEqual(0);
      seen.push([name, ok]);
    },
  });
  await db.main.script('create table item (id int8 primary key check (id > 0))');
});
afterAll(() => database.drop());
beforeEach(() => db.main.script('truncate item'));

const count = async () => (await db.main.query<{ n: number }>(COUNT))[0]?.n;
const failure = (work: Promise<unknown>) =>
  work.then(
    () => expect.unreachable('it should have failed'),
    (error: unknown) => error as ServiceError,
  );

describe('values', () => {
  test('are returned as documented', async () => {
    const [row] = await db.main.query(
      {
        name: 'test_values',
        text: `select 5::int8 as small, 9007199254740993::int8 as large, count(*) as n, $1::timestamptz as at,
                 '{"a":[1]}'::jsonb as json, null::int8 as nothing, array[1, null]::int8[] as list from item`,
      },
      [new Date(1_700_000_000_123)],
    );
    expect(row).toEqual({
      small: 5,
      large: 9007199254740993n,
      n: 0,
      at: 1_700_000_000_123,
      json: { a: [1] },
      nothing: null,
      list: [1, null],
    });
  });

  test('a statement that is not prepared may change its text under one name', async () => {
    const run = (text: string) => db.main.query({ name: 'test_dynamic', text, prepare: false }, [1]);
    expect(await run('select $1::int4 as a')).toEqual([{ a: 1 }]);
    expect(await run('select $1::int4 as b')).toEqual([{ b: 1 }]);
  });

  test('every statement is observed', async () => {
    seen.length = 0;
    await db.main.query(ONE);
    await failure(db.main.query({ name: 'test_wrong', text: 'select 1 / 0' }));
    expect(seen).toEqual([
      ['test_one', true],
      ['test_wrong', false],
    ]);
  });
});

describe('transactions', () => {
  test('commit what they did', async () => {
    const changed = await db.main.withTx(async (tx) => {
      await tx.execute(INSERT, [1]);
      return tx.execute({ name: 'test_insert_two', text: 'insert into item (id) values ($1), ($2)' }, [2, 3]);
    });
    expect(changed).toBe(2);
    expect(await count()).toBe(3);
  });

  test('roll back when the function throws', async () => {
    const boom = new ServiceError('FAILED_PRECONDITION', 'No.');
    const work = db.main.withTx(async (tx) => {
      await tx.execute(INSERT, [1]);
      throw boom;
    });
    expect(await failure(work)).toBe(boom);
    expect(await count()).toBe(0);
  });

  test('reject when the function swallowed a failed statement', async () => {
    const work = db.main.withTx(async (tx) => {
      await tx.execute(INSERT, [1]);
      await failure(tx.execute(INSERT, [1]));
    });
    expect(await failure(work)).toMatchObject({
      code: 'INTERNAL',
      message: expect.stringMatching(/rolled the transaction back/),
    });
    expect(await count()).toBe(0);
  });

  test('refuse statements after their end', async () => {
    let kept: { execute: Db['main']['execute'] } | undefined;
    await db.main.withTx(async (tx) => {
      kept = tx;
    });
    const error = await failure(kept?.execute(INSERT, [1]) ?? Promise.resolve());
    expect(error).toMatchObject({ code: 'INTERNAL', message: expect.stringMatching(/after its transaction/) });
  });

  test('take an isolation level and may be read only', async () => {
    const show = { name: 'test_isolation', text: `select current_setting('transaction_isolation') as level` };
    const level = await db.main.withTx((tx) => tx.query(show), { isolation: 'repeatable read', readOnly: true });
    expect(level).toEqual([{ level: 'repeatable read' }]);
    const write = db.main.withTx((tx) => tx.execute(INSERT, [1]), { readOnly: true });
    expect(await failure(write)).toBeInstanceOf(ServiceError);
  });

  test('statements that run at once inside one come back in order', async () => {
    const rows = await db.main.withTx((tx) =>
      Promise.all([1, 2, 3].map((n) => tx.query({ name: `test_n${n}`, text: `select ${n} as n` }))),
    );
    expect(rows.flat()).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
  });

  test('concurrent ones all commit', async () => {
    await Promise.all(Array.from({ length: 40 }, (_, id) => db.main.withTx((tx) => tx.execute(INSERT, [id + 1]))));
    expect(await count()).toBe(40);
  });
});

describe('pipelined reads', () => {
  const read = { name: 'test_setting', text: `select current_setting('work_mem') as memory` };

  test('run with their settings, whatever the session has from those before', async () => {
    const at = (memory: string) => db.main.pipelined({ 'hnsw.ef_search': 123, work_mem: memory }, read);
    for (const memory of ['9MB', '9MB', '8MB', '9MB']) expect(await at(memory)).toEqual([{ memory }]);
    const many = ['7MB', '9MB', '7MB', '6MB', '9MB', '6MB'];
    expect(await Promise.all(many.map(at))).toEqual(many.map((memory) => [{ memory }]));
  });

  test('report why a setting is refused, and leave a usable connection', async () => {
    const error = await failure(db.main.pipelined({ work_mem: 'plenty' }, read));
    expect(error.cause).toMatchObject({ message: expect.stringMatching(/work_mem/) });
    await expect(db.main.pipelined({ 'bad name; drop': 1 }, read)).rejects.toThrow(/not the name of a setting/);
    await Promise.all([1, 2, 3, 4].map(async () => expect(await db.main.query(ONE)).toEqual([{ one: 1 }])));
  });

  test('keep the settings of before when one of theirs is refused', async () => {
    await Promise.all([1, 2, 3, 4].map(() => db.main.pipelined({ work_mem: '9MB' }, read)));
    await failure(db.main.pipelined({ work_mem: '8MB', statement_timeout: 'plenty' }, read));
    for (let n = 0; n < 4; n += 1) {
      expect(await db.main.pipelined({ work_mem: '9MB' }, read)).toEqual([{ memory: '9MB' }]);
    }
  });
});

describe('sessions', () => {
  const LOCK = { name: 'test_lock', text: 'select pg_advisory_lock(4711)' };

  test.each([
    ['its function fails', { name: 'test_wrong', text: 'select 1 / 0' }, undefined],
    ['its timeout ends it', SLOW, 50],
  ])('leave no lock behind when %s', async (_, statement, timeoutMs) => {
    const work = db.main.withSession(
      async (session) => {
        await session.query(LOCK);
        await session.query(statement);
      },
      { timeoutMs },
    );
    await failure(work);
    // Waits for the lock: the server need not have noticed the end of the connection yet.
    await db.background.withSession(async (session) => {
      await session.query(LOCK);
      await session.query({ name: 'test_unlock', text: 'select pg_advisory_unlock(4711)' });
    });
  });
});

describe('failures', () => {
  test.each([
    ['unique', 'insert into item values (1), (1)', 'ALREADY_EXISTS'],
    ['check', 'insert into item values (-1)', 'INVALID_ARGUMENT'],
    ['syntax', 'selec', 'INTERNAL'],
  ])('%s', async (name, text, code) => {
    expect(await failure(db.main.execute({ name: `test_fail_${name}`, text }))).toMatchObject({ code });
  });

  test('a NUL character is INVALID_ARGUMENT', async () => {
    const error = await failure(db.main.query({ name: 'test_nul', text: 'select $1::text' }, ['a\u0000b']));
    expect(error.code).toBe('INVALID_ARGUMENT');
  });
});

describe('limits', () => {
  test('an aborted statement rejects before it could have ended, and the pool goes on', async () => {
    const order: string[] = [];
    const slow = failure(db.main.query(SLOW, [], { signal: AbortSignal.timeout(50) })).then((error) => {
      order.push(error.code);
    });
    await slow;
    await db.main.withTx(async () => order.push('next'));
    expect(order).toEqual(['DEADLINE_EXCEEDED', 'next']);
    expect(db.stats().main.waiting).toBe(0);
  });

  test('a call that times out does the same', async () => {
    expect((await failure(db.main.query(SLOW, [], { timeoutMs: 20 }))).code).toBe('DEADLINE_EXCEEDED');
    expect(await db.main.query(ONE)).toEqual([{ one: 1 }]);
  });

  test('an aborted transaction leaves nothing behind', async () => {
    const reason = new ServiceError('UNAVAILABLE', 'Draining.');
    const controller = new AbortController();
    const work = db.main.withTx(
      async (tx) => {
        await tx.execute(INSERT, [1]);
        setImmediate(() => controller.abort(reason));
        await tx.query(SLOW);
      },
      { signal: controller.signal },
    );
    expect(await failure(work)).toBe(reason);
    expect(await count()).toBe(0);
  });

  test('a signal that is aborted already sends nothing', async () => {
    seen.length = 0;
    await failure(db.main.execute(INSERT, [1], { signal: AbortSignal.abort() }));
    await failure(db.main.withTx((tx) => tx.execute(INSERT, [1]), { signal: AbortSignal.abort() }));
    expect(seen).toEqual([]);
    expect(await count()).toBe(0);
  });

  test('waiting for a connection ends with the signal, in order, or at its timeout', async () => {
    const narrow = database.kind === 'embedded' ? db : await database.connect({ main: { minIdle: 1, max: 1 } });
    let release: (() => void) | undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const holder = narrow.main.withSession(() => held);
    const controller = new AbortController();
    const order: string[] = [];
    const gone = failure(narrow.main.query(ONE, [], { signal: controller.signal }));
    const first = narrow.main.query(ONE).then(() => order.push('first'));
    const second = narrow.main.query(ONE).then(() => order.push('second'));
    expect(narrow.stats().main).toEqual({ idle: 0, used: 1, waiting: 3 });
    controller.abort();
    expect((await gone).code).toBe('DEADLINE_EXCEEDED');
    release?.();
    await Promise.all([holder, first, second]);
    expect(order).toEqual(['first', 'second']);
  });
});

describe('the semaphore of vector searches', () => {
  test('admits as many as it has permits, and an aborted waiter leaves the queue', async () => {
    let running = 0;
    let most = 0;
    const search = async () => {
      running += 1;
      most = Math.max(most, running);
      await db.main.query(ONE);
      running -= 1;
    };
    const controller = new AbortController();
    const all = Array.from({ length: 60 }, () => db.searchSemaphore.run(search));
    const gone = failure(db.searchSemaphore.run(search, { signal: controller.signal }));
    controller.abort();
    expect((await gone).code).toBe('DEADLINE_EXCEEDED');
    await Promise.all(all);
    expect(most).toBeGreaterThanOrEqual(2);
    expect(most).toBeLessThan(60);
  });

  test('counts the wait for a permit towards the timeout of the call', async () => {
    let end = () => {};
    const held = new Promise<void>((resolve) => {
      end = resolve;
    });
    const holders = Array.from({ length: 60 }, () => db.searchSemaphore.run(() => held));
    const entered: unknown[] = [];
    const late = db.searchSemaphore.run(async (left) => entered.push(left), { timeoutMs: 20 });
    expect((await failure(late)).code).toBe('DEADLINE_EXCEEDED');
    expect(entered).toEqual([]);
    const patient = db.searchSemaphore.run(async ({ timeoutMs = 0 }) => timeoutMs, { timeoutMs: 60_000 });
    await new Promise((resolve) => setTimeout(resolve, 5));
    end();
    await Promise.all(holders);
    expect(await patient).toBeLessThan(60_000);
  });
});

test('no session keeps more than some hundred prepared statements', async () => {
  const prepared = async () => {
    const rows = await db.main.query<{ n: number }>({
      name: 'test_prepared',
      text: `select count(*)::int4 as n from pg_prepared_statements where name like 'test_many_%'`,
    });
    return rows[0]?.n ?? 0;
  };
  const counts: number[] = [];
  for (let number = 0; number < 1100; number += 1) {
    await db.main.query({ name: `test_many_${number}`, text: `select ${number}` });
    if (number % 100 === 99) counts.push(await prepared());
  }
  expect(Math.max(...counts)).toBeGreaterThan(100);
  expect(Math.max(...counts)).toBeLessThanOrEqual(501);
});
