import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { SOURCES, source } from '../../../support/built.ts';

test('a pool lets its process end while threads are idle', () => {
  const script = `
    import { createWorkerPool } from ${JSON.stringify(source('server/workers/pool.ts'))};
    const pool = createWorkerPool({ size: 2 });
    const input = { texts: ['hello'], dimensions: 8, inputType: 'query' };
    const vector = await pool.run('embedLexical', input, { timeoutMs: 60000 });
    console.log(vector.length);
  `;
  const output = execFileSync(process.execPath, [...SOURCES, '-e', script], { timeout: 60_000 });
  expect(output.toString()).toBe('8\n');
});
