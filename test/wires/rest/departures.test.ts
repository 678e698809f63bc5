import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { raw } from '../../support/raw-rest.ts';
import { useOwnServer } from '../../support/server.fixture.ts';

interface AccessLine {
  msg: string;
  method: string;
  route: string;
  status: number;
  running: number;
}

const running = useOwnServer(['--log-level', 'debug']);

async function logged(isWanted: (line: AccessLine) => boolean, count = 1): Promise<AccessLine[]> {
  const deadline = Date.now() + 20_000;
  for (;;) {
    const lines = (running.server.logs as AccessLine[]).filter(isWanted);
    if (lines.length >= count) return lines;
    if (Date.now() > deadline) throw new Error(`${lines.length} of ${count} lines were logged`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

test('a request is logged with its route, and without its body and query', async () => {
  await raw(running.server, '/v1/memories:retrieve?message=wherethecatis', { key: running.rootKey });
  const [line] = await logged(({ route }) => route === '/v1/memories:retrieve');
  expect(line).toMatchObject({ msg: 'answered', method: 'GET', status: 400 });
  expect(JSON.stringify(running.server.logs)).not.toContain('wherethecatis');
});

test('a call over many spaces causes no listener leak warning', async () => {
  const post = (path: string, body: Record<string, unknown>) =>
    raw(running.server, `POST ${path}`, { key: running.rootKey, body });
  const embedder = { displayName: 'e', providerType: 'BUILTIN', modelIdentifier: 'lexical-v1', dimensionality: 32 };
  const { embedderId } = (await post('/v1/embedders', embedder)).json;
  const made = Array.from({ length: 30 }, (_, n) => post('/v1/spaces', { name: `many ${n}`, embedderId }));
  const spaceKeys = (await Promise.all(made)).map(({ json }) => ({ spaceId: json.spaceId }));
  expect((await post('/v1/memories:retrieve', { message: 'cat', spaceKeys })).status).toBe(200);
  await logged(({ route, status }) => route === '/v1/memories:retrieve' && status === 200);
  expect(JSON.stringify(running.server.logs)).not.toContain('MaxListeners');
});

test('pipelined calls end at a client abort, and a drain waits for none of them', async () => {
  const { hostname, port } = new URL(running.server.rest);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  const request = `GET /v1/spaces HTTP/1.1\r\nhost: x\r\nx-api-key: ${running.rootKey}\r\n\r\n`;
  socket.write(request.repeat(20), () => socket.destroy());
  await logged(({ method, route }) => method === 'GET' && route === '/v1/spaces', 20);
  expect(await running.server.end()).toBe(0);
  const [draining] = await logged(({ msg }) => msg === 'draining');
  expect(draining?.running).toBe(0);
  expect(JSON.stringify(running.server.logs)).not.toContain('MaxListeners');
});
