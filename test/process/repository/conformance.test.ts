import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { planned, shown, type TestReference } from '../../conformance/line.ts';
import { missingTests } from '../../conformance/problems.ts';
import { renderConformance } from '../../conformance/render.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-conformance-'));
  mkdirSync(join(folder, 'unit'));
  const text = [
    "describe('a group', () => {",
    "  test('a test', () => {});",
    "  test.each([1])('each %s', () => {});",
    "  test.skip('a skipped one', () => {});",
    '});',
    `test(\`of \${1} value\`, () => {});`,
    "export const SCENARIOS = [{ name: 'a scenario', async run(stage) {} }, { name: 'another', tell: async () => {} }];",
    "const space = { name: 'a space', publicRead: true };",
    "// test('a remark')",
  ];
  writeFileSync(join(folder, 'unit/some.test.ts'), text.join('\n'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const chapter = (...references: [TestReference, ...TestReference[]]) => ({
  title: 'Things',
  lines: [shown('They work', ...references), planned('They fly', 'web console')],
});

describe('the conformance page', () => {
  test('tests, groups, tables and scenarios are found', () => {
    const references = ['a group', 'a test', 'each %s', 'of … value', 'a scenario', 'another'].map(
      (title) => `unit/some.test.ts: ${title}` as const,
    );
    expect(missingTests([chapter(references[0] ?? 'x.ts: ', ...references)], folder)).toEqual([]);
  });

  test.each([
    'unit/some.test.ts: a lost one',
    'unit/some.test.ts: a skipped one',
    'unit/some.test.ts: a remark',
    'unit/some.test.ts: a space',
    'unit/no.test.ts: a test',
  ] as const)('tells that %s is no test', (reference) => {
    const missing = missingTests([chapter(reference)], folder);
    expect(missing).toEqual([`Things: "They work" names a test that does not exist: ${reference}`]);
  });

  test('counts what is shown and what is planned', () => {
    const page = renderConformance([chapter('unit/some.test.ts: a test')]);
    expect(page).toContain('2 promises: 1 shown by tests, 1 planned (1 in web console).');
    expect(page).toContain('| They work | [unit/some.test](../test/unit/some.test.ts): a test |');
    expect(page).toContain('| They fly | planned: web console |');
  });
});
