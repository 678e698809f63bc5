import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createLogger } from '../../../../../src/server/log.ts';
import { License, type LicenseOptions } from '../../../../../src/server/service/license/license.ts';
import { parseLicense } from '../../../../../src/server/service/license/parse-license.ts';
import type { RateLimits } from '../../../../../src/server/service/rate-limit/rate-limiter.ts';

const text = (max: number, windowSeconds = 60) => JSON.stringify({ version: 1, rateLimit: { max, windowSeconds } });

describe('a license file', () => {
  test.each([
    ['{"version":1}', {}],
    ['{"version":1,"rateLimit":{"max":0}}', { max: 0 }],
    ['{"version":1,"rateLimit":{"max":5,"windowSeconds":86400}}', { max: 5, windowSeconds: 86_400 }],
  ])('%s is taken', (license, limits) => expect(parseLicense(license)).toEqual(limits));

  test.each([
    ['{', 'is not JSON'],
    ['[]', 'must be a JSON object'],
    ['{}', 'version: missing, must be 1'],
    ['{"version":"1"}', 'version: must be 1, got "1"'],
    ['{"version":1,"seats":3}', 'seats: unknown key'],
    ['{"version":1,"rateLimit":[]}', 'rateLimit: must be an object'],
    ['{"version":1,"rateLimit":{"burst":1}}', 'rateLimit.burst: unknown key'],
    ['{"version":1,"rateLimit":{"max":"5"}}', 'rateLimit.max: must be an integer'],
    ['{"version":1,"rateLimit":{"max":null}}', 'rateLimit.max: must be an integer'],
    ['{"version":1,"rateLimit":{"max":-1}}', 'rateLimit.max: must be an integer'],
    ['{"version":1,"rateLimit":{"max":1.5}}', 'rateLimit.max: must be an integer'],
    ['{"version":1,"rateLimit":{"windowSeconds":0}}', 'rateLimit.windowSeconds: must be an integer'],
    ['{"version":1,"rateLimit":{"windowSeconds":86401}}', 'rateLimit.windowSeconds: must be an integer'],
    ['{"version":1,"rateLimit":{"__proto__":1}}', 'rateLimit.__proto__: unknown key'],
  ])('%s is refused', (license, problem) => expect(() => parseLicense(license)).toThrow(problem));
});

describe('the license of a server', () => {
  const defaults = { max: 600, windowSeconds: 60 };
  let directory: string;
  let applied: RateLimits[];
  let logged: string[];

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'svc-license-'));
    applied = [];
    logged = [];
  });
  afterEach(() => rm(directory, { recursive: true }));

  const put = (name: string, content: string) => writeFile(join(directory, name), content);
  const open = (options: Partial<LicenseOptions> = {}) =>
    new License({
      directory,
      defaults,
      explicit: {},
      applyLimits: (limits) => applied.push(limits),
      log: createLogger({ level: 'info', format: 'json', stream: { write: (line) => logged.push(line) } }),
      ...options,
    });

  test('the last name in order is used, hidden files and other names are ignored', async () => {
    await put('10.json', text(10));
    await put('9.json', text(9));
    await put('.z.json', text(1));
    await put('z.json.bak', text(1));
    const license = open();
    expect(await license.reload()).toMatchObject({ status: 'LOADED' });
    expect(license.active?.filename).toBe('9.json');
    expect(applied).toEqual([{ max: 9, windowSeconds: 60 }]);
  });

  test('explicit settings override the file, the rest of the file applies', async () => {
    await put('a.json', text(10, 20));
    await open({ defaults: { max: 3, windowSeconds: 60 }, explicit: { max: 3 } }).reload();
    expect(applied).toEqual([{ max: 3, windowSeconds: 20 }]);
  });

  test('the same bytes are not applied twice, also under another name', async () => {
    const license = open();
    await put('a.json', text(10));
    await license.reload();
    await put('b.json', text(10));
    expect(await license.reload()).toMatchObject({ status: 'UNCHANGED' });
    expect(license.active?.filename).toBe('b.json');
    expect(applied).toHaveLength(1);
  });

  test('an invalid file leaves the old one in effect; without a file the defaults apply again', async () => {
    const license = open();
    await put('a.json', text(10));
    await license.reload();
    await put('b.json', '{');
    const failed = await license.reload();
    expect(failed).toEqual({
      status: 'FAILED',
      message: 'The license cannot be used: b.json: is not JSON; a.json stays in force',
    });
    expect(license.active?.filename).toBe('a.json');
    await rm(join(directory, 'a.json'));
    await rm(join(directory, 'b.json'));
    expect(await license.reload()).toEqual({
      status: 'NOT_FOUND',
      message: `There is no license in ${directory}; the server's own settings apply`,
    });
    expect(license.active).toBeUndefined();
    expect(applied).toEqual([{ max: 10, windowSeconds: 60 }, defaults]);
  });

  test.each([
    ['a folder', (path: string) => mkdir(path)],
    ['a link to nothing', (path: string) => symlink('/nowhere/at/all', path)],
    ['a huge file', (path: string) => writeFile(path, ' '.repeat(65_537))],
  ])('%s instead of a file is a failure', async (_name, make) => {
    await make(join(directory, 'a.json'));
    expect(await open().reload()).toMatchObject({ status: 'FAILED', message: expect.stringContaining('a.json') });
  });

  test('a link to a file is followed', async () => {
    await put('data', text(4));
    await symlink('data', join(directory, 'a.json'));
    expect(await open().reload()).toMatchObject({ status: 'LOADED' });
  });

  test('at the start an invalid file is logged, and a missing directory is no error', async () => {
    await open({ directory: join(directory, 'none') }).start();
    expect([logged, applied]).toEqual([[], []]);
    await put('a.json', '{"version":2}');
    await open().start();
    expect(logged.map((line) => JSON.parse(line))).toMatchObject([
      { level: 'warn', msg: expect.stringContaining('version: must be 1, got 2') },
    ]);
    expect(applied).toEqual([]);
  });

  test('concurrent reloads are serialized', async () => {
    await put('a.json', text(10));
    const license = open();
    const results = await Promise.all([license.reload(), license.reload(), license.reload()]);
    expect(results.map(({ status }) => status)).toEqual(['LOADED', 'UNCHANGED', 'UNCHANGED']);
  });
});
