import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { type CliOptions, cli } from '../../../support/client/host.fixture.ts';
import {
  type MemoryStore,
  type StoreBehavior,
  startMemoryStore,
} from '../../../support/client/memory-store.fixture.ts';

const SPACE = '01980000-0000-7000-8000-0000000000b1';
export const AGAIN = 'Run the same command again to continue; what is stored is not sent again.\n';

const FILES: Readonly<Record<string, string>> = {
  'notes/b.md': '# b',
  'notes/a.txt': 'a',
  'notes/deep/c.PDF': '%PDF-',
  'notes/plain': 'no extension, but text',
  'notes/blob': '\u0000\u0001',
};

/** Stores of memories, and a folder of files to add to them; both are gone after the last test of the file. */
export function useUploads() {
  const place = { folder: '' };
  const stores: MemoryStore[] = [];
  beforeAll(async () => {
    place.folder = await mkdtemp(join(tmpdir(), 'svc-cli-upload-run-'));
    await mkdir(join(place.folder, 'notes/deep'), { recursive: true });
    for (const [path, text] of Object.entries(FILES)) await writeFile(join(place.folder, path), text);
  });
  afterAll(async () => {
    for (const { server } of stores) server.close();
    await rm(place.folder, { recursive: true });
  });
  const store = async (behavior: StoreBehavior = {}) => {
    const memories = await startMemoryStore(behavior);
    stores.push(memories);
    const add = (args: readonly string[], options: CliOptions = {}) =>
      cli(['memories', 'add', SPACE, ...args], {
        cwd: place.folder,
        env: { SVC_SERVER: `http://127.0.0.1:${memories.server.port}` },
        ...options,
      });
    return { ...memories, add };
  };
  return { place, store };
}
