import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { Client, credentials, Metadata, status } from '@grpc/grpc-js';
import type { OperationKey } from '../../../src/shared/operations/table.ts';
import { OPERATIONS } from '../../../src/shared/operations/table.ts';
import type { TestServer } from '../../support/server.ts';
import type { Wire } from '../../support/wire.ts';
import { NOBODIES } from './access.ts';
import type { World } from './world.fixture.ts';

type Headers = Readonly<Record<string, string>>;

/** Asks who the caller is: the user's id, or undefined where the key counts for none. */
type WhoAmI = (server: TestServer, headers: Headers) => Promise<string | undefined>;

export const WHO_AM_I: Readonly<Record<string, WhoAmI>> = {
  async REST(server, headers) {
    const response = await fetch(`${server.rest}/v1/users/me`, { headers });
    const body = (await response.json()) as { userId?: string };
    if (response.status !== 200 && response.status !== 401) throw new Error(`the status was ${response.status}`);
    return body.userId;
  },
  async gRPC(server, headers) {
    const { rpc } = OPERATIONS.getUser;
    const client = new Client(server.grpc.replace('http://', ''), credentials.createInsecure());
    const metadata = new Metadata();
    for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
    try {
      return await new Promise<string | undefined>((resolve, reject) => {
        client.makeUnaryRequest(
          `/${rpc.parent.typeName}/${rpc.name}`,
          () => Buffer.from(toBinary(rpc.input, create(rpc.input))),
          (bytes: Buffer) => fromBinary(rpc.output, bytes),
          {},
          metadata,
          (error, user) => {
            if (error !== null && error.code !== status.UNAUTHENTICATED) reject(error);
            else resolve(user?.userId);
          },
        );
      });
    } finally {
      client.close();
    }
  },
};

/** What is sent, from the keys of two users, and which of them it makes the caller. */
export const HEADERS: readonly { headers(x: string, y: string): Headers; who: 'x' | 'y' | 'nobody' }[] = [
  { headers: (x) => ({ 'x-api-key': x }), who: 'x' },
  { headers: (_x, y) => ({ authorization: `Bearer ${y}` }), who: 'y' },
  { headers: (_x, y) => ({ authorization: `bearer ${y}` }), who: 'y' },
  { headers: (x, y) => ({ 'x-api-key': x, authorization: `Bearer ${y}` }), who: 'x' },
  { headers: (x) => ({ 'x-api-key': x, authorization: 'Bearer svc_wrong' }), who: 'x' },
  { headers: (_x, y) => ({ 'x-api-key': 'svc_wrong', authorization: `Bearer ${y}` }), who: 'nobody' },
  { headers: (_x, y) => ({ authorization: y }), who: 'nobody' },
  { headers: (_x, y) => ({ authorization: `Basic ${y}` }), who: 'nobody' },
  { headers: (_x, y) => ({ 'x-api-key': `Bearer ${y}` }), who: 'nobody' },
  { headers: () => ({}), who: 'nobody' },
];

/** Operations of every kind: unary, streamed, of bytes, for administrators, and without the need of a key. */
const ASKED: readonly OperationKey[] = [
  'getUser',
  'retrieveMemory',
  'getMemoryContent',
  'ping',
  'drain',
  'getSystemInfo',
];

/** The different answers to unusable keys, by operation: there must be one for each. */
export async function answersToNobodies(world: World, wire: Wire): Promise<Map<OperationKey, Set<string>>> {
  const { memories, spaces } = world;
  const request = { memoryId: memories.private, message: 'x', spaceKeys: [{ spaceId: spaces.private }] };
  const fields: Partial<Record<OperationKey, object>> = {
    retrieveMemory: { message: request.message, spaceKeys: request.spaceKeys },
    getMemoryContent: { memoryId: request.memoryId },
    ping: { targetId: await world.stage.embedder() },
  };
  const usable = world.people.ada.key;
  const keys = [...(await Promise.all(NOBODIES.map((nobody) => world.keyOf(nobody)))), 'garbage', `${usable}a`, ''];
  const answers = new Map<OperationKey, Set<string>>();
  for (const operation of ASKED) {
    const all = await Promise.all(keys.map((key) => wire.call(operation, { ...fields[operation] }, { key })));
    answers.set(operation, new Set(all.map((answer) => JSON.stringify(answer))));
  }
  return answers;
}

/** Everything but what no two responses share: nothing in it may tell one unusable key from another. */
export async function restResponseTo(server: TestServer, key: string | undefined): Promise<unknown> {
  const headers: Record<string, string> = key === undefined ? {} : { 'x-api-key': key };
  const response = await fetch(`${server.rest}/v1/users/me`, { headers });
  const shown = [...response.headers].filter(([name]) => name !== 'x-request-id' && name !== 'date');
  return { status: response.status, headers: Object.fromEntries(shown), body: await response.text() };
}
