import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, test } from 'vitest';
import { SpaceService } from '../../src/shared/gen/service/v1/space_pb.ts';
import { startGrpcServer } from '../support/client/grpc-server.fixture.ts';
import { useTerminals } from '../support/terminal.ts';

const open = useTerminals();

test('a slow call shows a waiting line until the answer arrives', async () => {
  let answer = (): void => {};
  const held = new Promise<object>((resolve) => {
    answer = () => resolve({ spaces: [{ name: 'house', spaceId: '01980000-0000-7000-8000-0000000000b1' }] });
  });
  const server = await startGrpcServer([SpaceService], { unary: { ListSpaces: async () => ({ ...(await held) }) } });
  const env = { SVC_SERVER: `http://127.0.0.1:${server.port}`, SVC_API_KEY: 'svc_test' };
  try {
    const terminal = open(['spaces', 'list'], { env });
    const plain = open(['spaces', 'list', '--plain'], { env });
    const json = open(['spaces', 'list', '-o', 'json'], { env });
    await terminal.shows(`Waiting for 127.0.0.1:${server.port} …`);
    await terminal.shows(`Waiting for 127.0.0.1:${server.port} … 1 s`);
    await terminal.shows(`Waiting for 127.0.0.1:${server.port} … 2 s`);
    answer();
    for (const ended of [terminal, plain, json]) {
      expect(await ended.ended()).toBe(0);
      expect(ended.text).toContain('house');
      expect(ended.text).not.toContain('Waiting');
    }
    for (const silent of [plain, json]) expect(silent.raw).not.toContain('Waiting');
  } finally {
    server.close();
  }
});

test('so does a connection without an answer, and Ctrl-C erases the line', async () => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  try {
    const terminal = open(['health'], { env: { SVC_SERVER: `127.0.0.1:${port}` } });
    await terminal.shows(`Waiting for 127.0.0.1:${port} …`);
    terminal.type('\u0003');
    expect(await terminal.ended()).toBe(130);
    expect(terminal.text).not.toContain('Waiting');
  } finally {
    silent.close();
  }
});
