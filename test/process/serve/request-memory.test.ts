import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { create, toBinary } from '@bufbuild/protobuf';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BatchCreateMemoryRequestSchema } from '../../../src/shared/gen/service/v1/memory_pb.ts';
import { OPERATIONS, type OperationKey } from '../../../src/shared/operations/table.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { framed, RawGrpc } from '../../support/raw-grpc.ts';
import { raw } from '../../support/raw-rest.ts';
import { startServer, type TestServer } from '../../support/server.ts';

const MB = 1024 * 1024;
const AT_ONCE = 8;
/** What all requests together may hold, and what a server may take for itself on top of it before it collects. */
const BUDGET_MB = 256;
const MARGIN_MB = 500;

let database: TestDatabase;
let server: TestServer;
let key: string;
/** Half a gigabyte of zeros, in half a megabyte. */
let bomb: Buffer;

beforeAll(async () => {
  database = await createTestDatabase();
  server = await startServer({
    databaseFlags: database.serverFlags,
    flags: ['--rate-limit-max', '0', '--request-memory-mb', String(BUDGET_MB)],
  });
  key = await server.init();
  bomb = framed(gzipSync(Buffer.alloc(512 * MB)), { isPacked: true });
});
afterAll(async () => {
  await server?.end();
  await database?.drop();
});

/** Resident memory of the server, in MB: now, or the most since `forget`. */
function memory(which: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${server.process.pid}/status`, 'utf8');
  return Number(new RegExp(`${which}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
}

/** How many MB the attack took at its worst, and how many are kept once the server has had time to give them back. */
async function cost(attack: () => Promise<void>): Promise<{ taken: number; kept: () => Promise<number> }> {
  const before = memory('VmRSS');
  writeFileSync(`/proc/${server.process.pid}/clear_refs`, '5');
  await attack();
  const kept = async () => {
    for (let waited = 0; waited < 300 && memory('VmRSS') - before > 100; waited += 1) await sleep(100);
    return memory('VmRSS') - before;
  };
  return { taken: memory('VmHWM') - before, kept };
}

const pathOf = (operation: OperationKey) => {
  const { parent, name } = OPERATIONS[operation].rpc;
  return `/${parent.typeName}/${name}`;
};

async function together(path: string, message: Buffer, headers: Record<string, string>): Promise<unknown[]> {
  const one = async () => {
    const client = new RawGrpc(server.grpc);
    const answer = await client.call(path, [message], { 'grpc-encoding': 'gzip', ...headers });
    client.close();
    return answer.headers['x-error-code'];
  };
  return await Promise.all(Array.from({ length: AT_ONCE }, one));
}

test.skipIf(process.platform !== 'linux')('without a key no body is decompressed', async () => {
  const { taken } = await cost(async () => {
    for (const [path, code] of [
      [pathOf('createMemory'), 'UNAUTHENTICATED'],
      [pathOf('getSystemInfo'), 'PAYLOAD_TOO_LARGE'],
      ['/grpc.health.v1.Health/Check', 'PAYLOAD_TOO_LARGE'],
      ['/grpc.reflection.v1.ServerReflection/ServerReflectionInfo', 'PAYLOAD_TOO_LARGE'],
    ] as const) {
      expect(await together(path, bomb, {})).toEqual(Array(AT_ONCE).fill(code));
    }
  });
  expect(taken).toBeLessThan(150);
});

test.skipIf(process.platform !== 'linux')(
  'with a key decompressed bodies stay within the budget and release it',
  async () => {
    const { taken, kept } = await cost(async () => {
      const codes = await together(pathOf('createMemory'), bomb, { 'x-api-key': key });
      for (const code of codes) expect(['UNAVAILABLE', 'RESOURCE_EXHAUSTED', 'PAYLOAD_TOO_LARGE']).toContain(code);
      const fits = framed(gzipSync(Buffer.alloc(100 * MB)), { isPacked: true });
      const answers = await together(pathOf('createMemory'), fits, { 'x-api-key': key });
      // Zeros are no message: what was unpacked was also read.
      expect(answers).toContain('INVALID_ARGUMENT');
    });
    expect(taken).toBeLessThan(BUDGET_MB + MARGIN_MB);
    expect(await kept()).toBeLessThanOrEqual(100);
  },
);

test.skipIf(process.platform !== 'linux')(
  'JSON that would grow in parsing is refused before it is parsed',
  async () => {
    const bodies = [
      `[${'0,'.repeat(20_000_000)}0]`,
      `{"name":"x","labels":{${Array.from({ length: 1_000_000 }, (_, index) => `"k${index}":"v"`).join(',')}}}`,
      `{"name":"x","spaceEmbedders":[${'{},'.repeat(1_000_000)}{}]}`,
      '[{"a":'.repeat(8_000_000),
    ];
    const { taken, kept } = await cost(async () => {
      for (const body of bodies) {
        const { status, error } = await raw(server, 'POST /v1/spaces', { key, body });
        expect([413, 400]).toContain(status);
        expect(error.message).toMatch(/contains more values|nested deeper/);
      }
    });
    expect(taken).toBeLessThan(BUDGET_MB + MARGIN_MB);
    expect(await kept()).toBeLessThanOrEqual(100);
  },
);

test.skipIf(process.platform !== 'linux')('so is a message of many small messages', async () => {
  const items = toBinary(
    BatchCreateMemoryRequestSchema,
    create(BatchCreateMemoryRequestSchema, { requests: Array.from({ length: 1000 }, () => ({})) }),
  );
  const many = Buffer.concat(Array.from({ length: 20_000 }, () => items));
  const client = new RawGrpc(server.grpc);
  const { taken, kept } = await cost(async () => {
    const answer = await client.call(pathOf('batchCreateMemory'), [framed(many)], { 'x-api-key': key });
    expect(answer.message).toBe('The message contains more values than the server accepts');
  });
  client.close();
  expect(taken).toBeLessThan(BUDGET_MB + MARGIN_MB);
  expect(await kept()).toBeLessThanOrEqual(100);
});
