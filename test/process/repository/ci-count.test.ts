import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';

const COUNT = fileURLToPath(new URL('../../../.ci/count.js', import.meta.url));
let directory = '';
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'svc-count-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

interface Run {
  status: number;
  passed?: number;
  failed?: number;
  skipped?: number;
  /** Files that failed before their first test. */
  broken?: number;
}

function count(runs: Readonly<Record<string, Run>>) {
  for (const [name, { status, passed, failed = 0, skipped = 0, broken = 0 }] of Object.entries(runs)) {
    writeFileSync(join(directory, `${name}.status`), `${status}\n`);
    if (passed === undefined) continue;
    const testResults = Array.from({ length: broken }, () => ({
      name: join(process.cwd(), 'test/broken.test.ts'),
      status: 'failed',
      message: 'Cannot find module',
      assertionResults: [],
    }));
    const numbers = { numPassedTests: passed, numFailedTests: failed, numPendingTests: skipped, numTodoTests: 0 };
    writeFileSync(join(directory, `${name}.json`), JSON.stringify({ ...numbers, testResults }));
  }
  const { status, stdout } = spawnSync(process.execPath, [COUNT, directory], { encoding: 'utf8' });
  return { status, last: stdout.trimEnd().split('\n').at(-1) };
}

const GOOD = { status: 0, passed: 10 };

test.each<[string, Readonly<Record<string, Run>>, number, string]>([
  ['good runs', { a: GOOD, b: { status: 0, passed: 5 }, demo: { status: 0 } }, 0, '16 passed, 0 failed, 0 skipped'],
  ['a failed test', { a: GOOD, b: { status: 1, passed: 5, failed: 2 } }, 1, '15 passed, 2 failed, 0 skipped'],
  [
    'a file that failed to load',
    { a: GOOD, b: { status: 1, passed: 5, broken: 1 } },
    1,
    '15 passed, 1 failed, 0 skipped',
  ],
  ['a skipped test', { a: { status: 0, passed: 10, skipped: 3 } }, 1, '10 passed, 0 failed, 3 skipped'],
  ['a non-zero exit without a failed test', { a: { status: 1, passed: 10 } }, 1, '10 passed, 1 failed, 0 skipped'],
  ['a run without tests', { a: GOOD, b: { status: 0, passed: 0 } }, 1, '10 passed, 1 failed, 0 skipped'],
  ['a run without a report', { a: GOOD, b: { status: 134 } }, 1, '10 passed, 1 failed, 0 skipped'],
  ['nothing', {}, 1, '0 passed, 0 failed, 0 skipped'],
])('the runs of CI are counted together: %s', (_name, runs, status, last) => {
  expect(count(runs)).toEqual({ status, last });
});

test('failures are listed with their reasons before the counts', () => {
  writeFileSync(join(directory, 'a.status'), '1\n');
  const assertionResults = [
    { status: 'passed', fullName: 'works', failureMessages: [] },
    { status: 'failed', fullName: 'breaks', failureMessages: ['Error: expected 1 to be 2\n    at here'] },
  ];
  const testResults = [
    { name: join(process.cwd(), 'test/one.test.ts'), status: 'failed', message: '', assertionResults },
    {
      name: join(process.cwd(), 'test/two.test.ts'),
      status: 'failed',
      message: 'Cannot find module',
      assertionResults: [],
    },
  ];
  const numbers = { numPassedTests: 1, numFailedTests: 1, numPendingTests: 0, numTodoTests: 0 };
  writeFileSync(join(directory, 'a.json'), JSON.stringify({ ...numbers, testResults }));
  const { stdout } = spawnSync(process.execPath, [COUNT, directory], { encoding: 'utf8' });
  expect(stdout.trimEnd().split('\n')).toEqual([
    'FAILED in a: test/one.test.ts > breaks',
    '    Error: expected 1 to be 2',
    '        at here',
    'FAILED in a: test/two.test.ts',
    '    Cannot find module',
    'a: 1 passed, 2 failed, 0 skipped',
    '1 passed, 2 failed, 0 skipped',
  ]);
});
