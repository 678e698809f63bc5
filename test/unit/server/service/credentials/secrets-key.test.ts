import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseSecretsKey } from '../../../../../src/server/service/credentials/sealing.ts';
import { loadOrCreateSecretsKey } from '../../../../../src/server/service/credentials/secrets-key.ts';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'secrets-key-'));
});
afterAll(() => rm(dir, { recursive: true }));

describe('the key file', () => {
  const newDir = async (name: string) => {
    const path = join(dir, name);
    await mkdir(path);
    return path;
  };

  it('is created once, with mode 0600, and leaves no temporary file', async () => {
    const data = await newDir('made');
    const key = await loadOrCreateSecretsKey(data);
    expect(key).toHaveLength(32);
    expect(await loadOrCreateSecretsKey(data)).toEqual(key);
    expect(await readdir(data)).toEqual(['secrets.key']);
    expect((await stat(join(data, 'secrets.key'))).mode & 0o777).toBe(0o600);
    expect(parseSecretsKey(await readFile(join(data, 'secrets.key'), 'utf8'))).toEqual(key);
  });

  it('is the same for concurrent creators', async () => {
    const data = await newDir('race');
    const keys = await Promise.all(Array.from({ length: 8 }, () => loadOrCreateSecretsKey(data)));
    expect(new Set(keys.map((key) => key?.toString('hex'))).size).toBe(1);
    expect(await readdir(data)).toEqual(['secrets.key']);
  });

  it('is not created when creation is off', async () => {
    const data = await newDir('none');
    expect(await loadOrCreateSecretsKey(data, { create: false })).toBeUndefined();
    expect(await readdir(data)).toEqual([]);
  });

  it('that is damaged is an error and is not overwritten', async () => {
    const data = await newDir('damaged');
    await writeFile(join(data, 'secrets.key'), 'oops');
    await expect(loadOrCreateSecretsKey(data)).rejects.toMatchObject({ code: 'FAILED_PRECONDITION' });
    expect(await readFile(join(data, 'secrets.key'), 'utf8')).toBe('oops');
  });
});
