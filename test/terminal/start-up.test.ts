import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ApiKeyService } from '../../src/shared/gen/service/v1/api_key_pb.ts';
import { MemoryService } from '../../src/shared/gen/service/v1/memory_pb.ts';
import { SpaceService } from '../../src/shared/gen/service/v1/space_pb.ts';
import { startGrpcServer, type TestGrpcServer } from '../support/client/grpc-server.fixture.ts';
import { BINARY } from '../support/command.ts';

/** Says on stderr which modules are loaded. */
const HOOK = `
  import { writeSync } from 'node:fs';
  export const load = (url, context, next) => { writeSync(2, 'loaded ' + url + '\\n'); return next(url, context); };`;
const REGISTER = `
  import { register } from 'node:module';
  register(${JSON.stringify(dataUrl(HOOK))});`;

function dataUrl(source: string): string {
  return `data:text/javascript,${encodeURIComponent(source)}`;
}

let server: TestGrpcServer;
beforeAll(async () => {
  server = await startGrpcServer([ApiKeyService, MemoryService, SpaceService], {
    unary: { ListApiKeys: () => ({}), ListMemories: () => ({}), ListSpaces: () => ({}) },
  });
});
afterAll(() => server.close());

/** A package, or a folder of our own that not every command needs; the records of the commands in it are read with their noun. */
const PART =
  /node_modules\/((?:@[^/]+\/)?[^/]+)|src\/((?:server|shared\/gen|cli\/(?:kit\/bulk|transfer|upload))\/(?!command[.]ts))/;

/** The modules in a loaded file: a file of the build holds those that its source map names. */
function modulesIn(url: string): string[] {
  if (!url.includes('/dist/')) return [url];
  const { sources } = JSON.parse(readFileSync(fileURLToPath(`${url}.map`), 'utf8')) as { sources: string[] };
  return sources.map((source) => new URL(source, url).href);
}

/** The packages and such folders that a command loads. */
async function loadedBy(...args: string[]): Promise<string[]> {
  const env = { ...process.env, SVC_SERVER: `http://127.0.0.1:${server.port}` };
  const called = promisify(execFile)(process.execPath, ['--import', dataUrl(REGISTER), BINARY, ...args], { env });
  const { stderr } = await called.catch((error: { stderr: string }) => error);
  const urls = stderr.split('\n').flatMap((line) => /^loaded (.*)$/.exec(line)?.[1] ?? []);
  expect(urls.join('\n')).toContain('/dist/cli/main.js');
  return [
    ...new Set(
      urls.flatMap(modulesIn).flatMap(
        (url) =>
          PART.exec(url)
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
