import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ApiKeyService } from '../../src/shared/gen/service/v1/api_key_pb.ts';
import { startGrpcServer, type TestGrpcServer } from '../unit/cli-grpc-server.ts';

const BINARY = fileURLToPath(new URL('../../bin/svc.js', import.meta.url));

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
  server = await startGrpcServer([ApiKeyService], { unary: { ListApiKeys: () => ({ keys: [] }) } });
});
afterAll(() => server.close());

/** The packages and own folders that a command loads. */
async function loadedBy(...args: string[]): Promise<string[]> {
  const env = { ...process.env, SVC_SERVER: `http://127.0.0.1:${server.port}` };
  const called = promisify(execFile)(process.execPath, ['--import', dataUrl(REGISTER), BINARY, ...args], { env });
  const { stderr } = await called.catch((error: { stderr: string }) => error);
  const urls = stderr.split('\n').flatMap((line) => /^loaded (.*)$/.exec(line)?.[1] ?? []);
  expect(urls.join('\n')).toContain('/dist/cli/main.js');
  const parts = urls.flatMap(
    (url) => /node_modules\/((?:@[^/]+\/)?[^/]+)|dist\/((?:server|shared\/gen)\/)/.exec(url) ?? [],
  );
  return [
    ...new Set(
      parts.filter((part) => part !== undefined && !part.startsWith('node_modules') && !part.startsWith('dist')),
    ),
  ];
}

test('the version loads nothing but the shell of the program', async () => {
  expect(await loadedBy('--version')).toEqual([]);
});

test('help and mistakes load the parser, and neither the contract nor gRPC', async () => {
  expect(await loadedBy('--help')).toEqual(['commander']);
  expect(await loadedBy('--nosuch')).toEqual(['commander']);
});

test('a list loads gRPC and the contract, but neither React nor fastify nor pg', async () => {
  const loaded = await loadedBy('apikeys', 'list');
  expect(server.calls.map(({ name }) => name)).toEqual(['ListApiKeys']);
  expect(loaded).toEqual(expect.arrayContaining(['@grpc/grpc-js', 'commander', 'shared/gen/']));
  expect(loaded.filter((name) => /^(react|ink|fastify|pg|server\/)/.test(name))).toEqual([]);
});

test('help of the server loads its settings and not the server', async () => {
  const loaded = await loadedBy('serve', '--help');
  expect(loaded).toContain('server/');
  expect(loaded.filter((name) => /^(react|ink|fastify|pg|@grpc)/.test(name))).toEqual([]);
});
