import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ApiKeyService } from '../../src/shared/gen/service/v1/api_key_pb.ts';
import { MemoryService } from '../../src/shared/gen/service/v1/memory_pb.ts';
import { SpaceService } from '../../src/shared/gen/service/v1/space_pb.ts';
import { startGrpcServer, type TestGrpcServer } from '../support/client/grpc-server.fixture.ts';
import { BINARY } from '../support/command.ts';

/** Says on stderr which files were loaded. */
const HOOK = `
  process.on('exit', () => {
    const loaded = Object.keys(require.cache).map((file) => 'loaded ' + file);
    require('node:fs').writeSync(2, loaded.join('\\n') + '\\n');
  });`;

let server: TestGrpcServer;
let hook = '';
beforeAll(async () => {
  hook = join(await mkdtemp(join(tmpdir(), 'svc-loaded-')), 'hook.cjs');
  await writeFile(hook, HOOK);
  server = await startGrpcServer([ApiKeyService, MemoryService, SpaceService], {
    unary: { ListApiKeys: () => ({}), ListMemories: () => ({}), ListSpaces: () => ({}) },
  });
});
afterAll(async () => {
  server.close();
  await rm(dirname(hook), { recursive: true });
});

/** A package, or a folder of our own that not every command needs; the records of the commands in it are read with their noun. */
const PART =
  /node_modules\/((?:@[^/]+\/)?[^/]+)|src\/((?:server|shared\/gen|cli\/(?:kit\/bulk|transfer|upload))\/(?!command[.]ts))/;

/** The modules in a loaded file: a file of the build holds those that its source map names; that of the bundler has no map. */
function modulesIn(file: string): string[] {
  if (!file.includes('/dist/') || /\/rolldown-runtime-[^/]+$/.test(file)) return [file];
  const { sources } = JSON.parse(readFileSync(`${file}.map`, 'utf8')) as { sources: string[] };
  return sources.map((source) => resolve(dirname(file), source));
}

/** The packages and such folders that a command loads. */
async function loadedBy(...args: string[]): Promise<string[]> {
  const env = { ...process.env, SVC_SERVER: `http://127.0.0.1:${server.port}` };
  const called = promisify(execFile)(process.execPath, ['--require', hook, BINARY, ...args], { env });
  const { stderr } = await called.catch((error: { stderr: string }) => error);
  const files = stderr.split('\n').flatMap((line) => /^loaded (.*)$/.exec(line)?.[1] ?? []);
  expect(files.join('\n')).toContain('/dist/cli/main.cjs');
  return [
    ...new Set(
      files.flatMap(modulesIn).flatMap(
        (path) =>
          PART.exec(path)
            ?.slice(1)
            .filter((part) => part !== undefined) ?? [],
      ),
    ),
  ];
}

test('--version loads the entry point alone', async () => {
  expect(await loadedBy('--version')).toEqual([]);
});

test('help and usage errors load the parser, and neither the contract nor gRPC', async () => {
  // The widths of characters are a table of 5 kB: texts are measured before they are wrapped.
  for (const words of ['--help', '--nosuch'])
    expect((await loadedBy(words)).sort(), words).toEqual(['commander', 'get-east-asian-width', 'string-width']);
});

test('a list loads gRPC and the contract, but neither React nor fastify nor pg', async () => {
  const loaded = await loadedBy('apikeys', 'list');
  expect(server.calls.at(-1)?.name).toBe('ListApiKeys');
  expect(loaded).toEqual(expect.arrayContaining(['@grpc/grpc-js', 'commander', 'shared/gen/']));
  expect(loaded.filter((name) => /^(react|ink|fastify|pg|server\/)/.test(name))).toEqual([]);
});

test.each([
  { words: ['spaces', 'list'], call: 'ListSpaces' },
  { words: ['memories', 'list', '01980000-0000-7000-8000-0000000000b1'], call: 'ListMemories' },
])('$words.0 list loads nothing that only transfers and uploads need', async ({ words, call }) => {
  const loaded = await loadedBy(...words);
  expect(server.calls.at(-1)?.name).toBe(call);
  expect(loaded.filter((name) => /^(cli\/|ndjson|uuid|react|ink)/.test(name))).toEqual([]);
});

test('help of serve loads its settings and not the server', async () => {
  const loaded = await loadedBy('serve', '--help');
  expect(loaded).toContain('server/');
  expect(loaded.filter((name) => /^(react|ink|fastify|pg|@grpc)/.test(name))).toEqual([]);
});
