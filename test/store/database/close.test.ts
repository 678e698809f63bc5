import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../../support/database.ts';

test('closing while connections are being opened ends them quietly', async () => {
  const database = await createTestDatabase();
  const failures: unknown[] = [];
  const note = (error: unknown) => failures.push(error);
  process.on('uncaughtException', note);
  try {
    // Each round closes at another moment of connecting. The embedded engine opens one connection, and takes seconds.
    const rounds = database.kind === 'embedded' ? 1 : 40;
    for (let round = 0; round < rounds; round += 1) {
      const db = await database.connect();
      const calls = Array.from({ length: 4 }, () => db.main.query({ name: 'one', text: 'select 1 as one' }));
      const outcomes = Promise.allSettled(calls);
      await sleep(round / 4);
      await db.close();
      await outcomes;
    }
    await database.drop();
    expect(failures).toEqual([]);
  } finally {
    process.off('uncaughtException', note);
  }
});
