import { create } from '@bufbuild/protobuf';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RetrieveMemoryEventSchema } from '../../../../src/shared/gen/service/v1/memory_pb.ts';
import { encodeJson } from '../../../../src/shared/json/encode.ts';
import { sdkEventEncoder } from '../../../../src/shared/json/sdk-events.ts';
import { grpcWire } from '../../../support/grpc-wire.ts';
import { RESULT_SET_ID, SPACE_ID, startWires, type Wires } from '../../server/transport/transport.fixture.ts';

const DESC = RetrieveMemoryEventSchema;
let flat: Wires;
let nested: Wires;

beforeAll(async () => {
  flat = await startWires();
  nested = await startWires({}, { sdkEvents: true });
  for (const wires of [flat, nested]) wires.open();
});
afterAll(async () => {
  await flat?.close();
  await nested?.close();
});

test('a retrieved chunk is nested one level deeper with its sibling members', () => {
  const chunk = { chunkId: 'c', memoryId: 'm', chunkText: '"}\n\u2028', chunkSequenceNumber: 7 };
  const value = { item: { case: 'chunk' as const, value: chunk }, relevanceScore: -0.5, resultSetId: RESULT_SET_ID };
  const event = create(DESC, { event: { case: 'retrievedItem', value: { ...value, memoryIndex: 3 } } });
  const { chunk: record, ...others } = JSON.parse(encodeJson(DESC, event)).retrievedItem;
  expect(JSON.parse(sdkEventEncoder()(DESC, event))).toEqual({
    retrievedItem: { chunk: { chunk: record, ...others } },
  });
  expect(others).toEqual({ memoryIndex: 3, relevanceScore: -0.5, resultSetId: RESULT_SET_ID });
});

test.each([
  ['retrievedItem', { item: { case: 'memory', value: { memoryId: SPACE_ID } }, relevanceScore: 1 }],
  ['abstractReply', { text: 'reply', resultSetId: RESULT_SET_ID }],
  ['status', { code: 1, message: 'm' }],
  ['resultSetBoundary', { kind: 1, resultSetId: RESULT_SET_ID }],
  ['memoryDefinition', { memoryId: SPACE_ID }],
])('%s without a chunk is the same in both forms', (member, value) => {
  const event = create(DESC, { event: { case: member, value } as never });
  expect(sdkEventEncoder()(DESC, event)).toBe(encodeJson(DESC, event));
});

test.each([
  ['vector_search', -0.83],
  ['rerank', 0.83],
  ['text_search', 0.83],
  ['hybrid_search', 0.83],
])('a score of %s is written as %d', (stageName, written) => {
  const encode = sdkEventEncoder();
  const boundary = (kind: number, name: string) =>
    create(DESC, { event: { case: 'resultSetBoundary', value: { kind, stageName: name } } });
  const item = (relevanceScore: number) =>
    create(DESC, { event: { case: 'retrievedItem', value: { item: { case: 'chunk', value: {} }, relevanceScore } } });
  expect(encode(DESC, boundary(1, stageName))).toBe(encodeJson(DESC, boundary(1, stageName)));
  expect(JSON.parse(encode(DESC, item(0.83))).retrievedItem.chunk.relevanceScore).toBe(written);
  expect(encode(DESC, item(0))).toContain('"relevanceScore":0,');
  encode(DESC, boundary(2, ''));
  const reply = create(DESC, { event: { case: 'abstractReply', value: { text: 'reply' } } });
  expect(encode(DESC, reply)).toBe(encodeJson(DESC, reply));
});

test('an error has its message at the top level too, on every path', async () => {
  const requests: [string, RequestInit?][] = [
    ['/v1/spaces'],
    ['/v1/nowhere'],
    ['/v1/%zz'],
    ['/v1/spaces?maxResults=x', { headers: { 'x-api-key': 'key-a' } }],
    [`/v1/nowhere?${'x'.repeat(300_000)}`],
  ];
  for (const [path, init] of requests) {
    const told = async (wires: Wires) => (await (await fetch(`${wires.rest}${path}`, init)).json()) as object;
    const { message, ...others } = (await told(nested)) as { message: string; error: { message: string } };
    expect(message).toMatch(/^The |^A |^No |^Request /);
    expect(others.error.message).toBe(message);
    expect(Object.keys(await told(flat))).toEqual(['error']);
  }
});

const body = { message: 'boiler', spaceKeys: [{ spaceId: SPACE_ID }] };
const headers = (accept: string) => ({ 'x-api-key': 'key-a', accept });

async function events(wires: Wires, method: 'GET' | 'POST', accept: string): Promise<unknown[]> {
  const query = method === 'GET' ? `?message=boiler&spaceIds=${SPACE_ID}` : '';
  const response = await fetch(`${wires.rest}/v1/memories:retrieve${query}`, {
    method,
    headers: method === 'GET' ? headers(accept) : { ...headers(accept), 'content-type': 'application/json' },
    ...(method === 'GET' ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const lines = accept === 'text/event-stream' ? [...text.matchAll(/^event: item\ndata: (.*)$/gm)] : [];
  const json = accept === 'text/event-stream' ? lines.map((match) => match[1] ?? '') : text.trimEnd().split('\n');
  return json.map((line) => JSON.parse(line));
}

test.each([
  ['GET', 'application/x-ndjson'],
  ['GET', 'text/event-stream'],
  ['POST', 'application/x-ndjson'],
  ['POST', 'text/event-stream'],
] as const)('only the items of a REST stream are nested: %s as %s', async (method, accept) => {
  const [boundary, item] = (await events(flat, method, accept)) as [unknown, { retrievedItem: { chunk: object } }];
  const { chunk, ...others } = item.retrievedItem;
  expect(others).toEqual({ memoryIndex: 0, relevanceScore: 0.83, resultSetId: RESULT_SET_ID });
  expect(await events(nested, method, accept)).toEqual([boundary, { retrievedItem: { chunk: { chunk, ...others } } }]);
});

test('gRPC does not change', async () => {
  const answers = await Promise.all(
    [flat, nested].map(async ({ grpc }) => {
      const wire = grpcWire(grpc);
      const answer = await wire.call('retrieveMemory', body, { key: 'key-a' });
      wire.close();
      return answer;
    }),
  );
  expect(answers[0]?.events).toHaveLength(2);
  expect(answers[1]).toEqual(answers[0]);
});
