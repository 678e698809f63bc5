import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { ParsedFlags } from '../../../../src/server/settings/given.ts';
import { printConfig } from '../../../../src/server/settings/print.ts';
import { secretFileNames, settingRows } from '../../../../src/server/settings/table.ts';
import { load, problemsWith } from './settings.fixture.ts';

const directory = mkdtempSync(join(tmpdir(), 'svc-secrets-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function fileWith(content: string | Uint8Array): string {
  const file = join(directory, String(Math.random()));
  writeFileSync(file, content);
  return file;
}

const KEY = Buffer.alloc(32, 9).toString('base64');
/** A value of each setting that holds a secret. */
const VALUES: Record<string, string> = {
  'db-url': 'postgresql://ada:hush@h/d',
  'db-password': 'hush hush',
  'db-read-url': 'postgresql://ada:hush@replica/d',
  'init-token': 'hush',
  'secrets-key': KEY,
  'metrics-scrape-secret': 'hush',
};
const secrets = settingRows().flatMap(({ flag, name, row }) => {
  const file = secretFileNames(flag);
  return file === undefined ? [] : [{ flag, name, env: row.env, file, value: VALUES[flag] ?? '' }];
});
const flagged = (name: string, value: string) => ({ [name]: value }) as ParsedFlags;
const onCommandLine = (warnings: readonly string[]) => warnings.filter((text) => text.includes('list of processes'));

it('every secret has a file form, and nothing else has', () => {
  expect(secrets.map(({ flag }) => flag).sort()).toEqual(Object.keys(VALUES).sort());
});

describe.each(secrets)('--$flag', ({ flag, name, env, file, value }) => {
  // Without the variable of the fixture, which would win over a file that a variable names.
  const free = { [env]: '' };
  const expected = load({ env: { ...free, [env]: value } }).settings[name];

  it('is read from the file of its flag or variable, without the last line end', () => {
    for (const end of ['', '\n', '\r\n']) {
      const path = fileWith(value + end);
      const byFlag = load({ env: free, flags: flagged(file.name, path) });
      expect(byFlag.settings[name]).toEqual(expected);
      expect(byFlag.sources[name]).toEqual({ kind: 'file', text: `file ${path} (flag --${file.flag})` });
      const byVariable = load({ env: { ...free, [file.variable]: path } });
      expect(byVariable.settings[name]).toEqual(expected);
      expect(byVariable.sources[name].text).toBe(`file ${path} (environment variable ${file.variable})`);
      expect(byVariable.warnings.filter((warning) => !warning.includes('is reserved')).join()).not.toContain(
        file.variable,
      );
      expect(printConfig(byFlag, 'table')).not.toMatch(/hush|CQkJ/);
    }
  });

  it('the file of a flag wins over both variables, and the flag itself over the file of a variable', () => {
    const other = fileWith('not looked at');
    expect(
      load({ env: { [env]: 'not looked at' }, flags: flagged(file.name, fileWith(value)) }).settings[name],
    ).toEqual(expected);
    expect(load({ env: { ...free, [file.variable]: other }, flags: flagged(name, value) }).settings[name]).toEqual(
      expected,
    );
  });

  it('given in both forms in one place is refused', () => {
    const path = fileWith(value);
    expect(problemsWith({ env: free, flags: { ...flagged(name, value), ...flagged(file.name, path) } })).toMatchObject([
      { flag: `--${flag}`, problem: `is given together with --${file.flag}` },
    ]);
    expect(problemsWith({ env: { [env]: value, [file.variable]: path } })).toMatchObject([
      { flag: `--${flag}`, problem: `is given together with ${file.variable}` },
    ]);
  });

  it('on the command line is a warning with the alternatives, elsewhere it is not', () => {
    const { warnings } = load({ env: free, flags: flagged(name, value) });
    expect(onCommandLine(warnings)).toEqual([
      expect.stringContaining(`of --${flag} can be read by every user of this machine`),
    ]);
    expect(onCommandLine(warnings)[0]).toContain(`give it with --${file.flag}, ${file.variable} or ${env}.`);
    expect(warnings.join()).not.toContain(value);
    expect(onCommandLine(load({ env: { [env]: value } }).warnings)).toEqual([]);
    expect(onCommandLine(load({ env: free, flags: flagged(file.name, fileWith(value)) }).warnings)).toEqual([]);
  });

  it.each([
    [() => join(directory, 'missing'), 'there is no such file'],
    [() => directory, 'it is a directory'],
    [() => fileWith(''), 'has an empty value'],
    [() => fileWith('\n'), 'has an empty value'],
    [() => fileWith('x'.repeat(65_537)), 'is larger than 65536 bytes'],
    [() => '/dev/zero', 'is larger than 65536 bytes'],
    [() => fileWith(Uint8Array.of(0xff, 0xfe)), 'is not UTF-8 text'],
    [() => '', 'has an empty file name'],
  ])('a file that cannot be used is refused: %#', (path, problem) => {
    expect(problemsWith({ env: free, flags: flagged(file.name, path()) })).toMatchObject([
      { flag: `--${flag}`, problem: expect.stringContaining(problem) },
    ]);
  });
});

it('a URL without a password on the command line is no warning', () => {
  expect(
    onCommandLine(load({ flags: { dbUrl: 'postgresql://ada@h/d', dbReadUrl: 'postgresql://r/d' } }).warnings),
  ).toEqual([]);
});

it('the system property counts as on the command line too', () => {
  const { warnings } = load({ properties: ['service.metrics.secret=hush'] });
  expect(onCommandLine(warnings)).toEqual([
    expect.stringMatching(/^The value of -Dservice\.metrics\.secret can be read/),
  ]);
});

it('the content of a file is never quoted', () => {
  const flags = { secretsKeyFile: fileWith('hush-no-key'), dbUrlFile: fileWith('mysql://ada:hush@h/d') };
  const problems = problemsWith({ env: { DB_URL: '' }, flags });
  expect(problems).toHaveLength(2);
  expect(JSON.stringify(problems)).not.toContain('hush');
});

it('a blank file variable is unset', () => {
  expect(load({ env: { DB_PASSWORD_FILE: ' ' } }).sources.dbPassword.text).toBe('environment variable DB_PASSWORD');
});
