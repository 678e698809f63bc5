import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { grpcWire } from '../support/grpc-wire.ts';
import { restWire } from '../support/rest-wire.ts';
import { useServer } from '../support/server.fixture.ts';
import { unique } from '../support/stage.ts';
import type { Answer, Json, Wire } from '../support/wire.ts';

const running = useServer();
let spaceId: string | undefined;
let embedderId: string;

describe.each([
  ['REST', (): Wire => restWire(running.server.rest)],
  ['gRPC', (): Wire => grpcWire(running.server.grpc)],
] as const)('NUL in requests, over %s', (_name, open) => {
  let wire: Wire;
  const call = (operation: Parameters<Wire['call']>[0], request: Record<string, unknown>): Promise<Answer> =>
    wire.call(operation, request, { key: running.rootKey });
  const ok = async (...args: Parameters<typeof call>) => {
    const answer = await call(...args);
    if (!answer.ok) throw new Error(`${answer.code} ${answer.message} ${answer.details}`);
    return answer;
  };

  beforeAll(async () => {
    wire = open();
    // Both wires look at the same.
    if (spaceId !== undefined) return;
    // With dimensions that no other file of the server gives: there can be one embedder of root's for each number.
    const embedder = { providerType: 'BUILTIN', modelIdentifier: 'lexical-v1', dimensionality: 72 };
    const { body } = await ok('createEmbedder', { displayName: unique('e'), labels: { a: 'b' }, ...embedder });
    embedderId = String((body as Json).embedderId);
    const space = { name: unique('space'), embedderId, labels: { a: 'b' } };
    spaceId = String(((await ok('createSpace', space)).body as Json).spaceId);
  });
  afterAll(() => wire.close());

  test('is accepted in questions, earlier turns and prompts', async () => {
    const retrieval = { message: 'what\0is', spaceKeys: [{ spaceId }], context: [{ text: 'a\0b' }] };
    await ok('retrieveMemory', retrieval);
    const postProcessor = { config: { prompt: 'a\0b', reranker_id: 'no\0id', 'un\0known': 1 } };
    await ok('retrieveMemory', { ...retrieval, postProcessor, logging: { callerAttributes: { 'a\0': 'b\0' } } });
  });

  test('is a syntax error with its position in a filter', async () => {
    const filter = "val('$.a') = 'b\0'";
    const expected = { code: 'INVALID_ARGUMENT', message: 'Invalid filter: Parse error at line 1, column 16' };
    expect(await call('retrieveMemory', { message: 'x', spaceKeys: [{ spaceId, filter }] })).toMatchObject(expected);
    expect(await call('listMemories', { spaceId, filter })).toMatchObject(expected);
  });

  test('matches nothing in list filters', async () => {
    const empty = async (operation: Parameters<Wire['call']>[0], member: string, request: Record<string, unknown>) =>
      expect(((await ok(operation, request)).body as Record<string, unknown>)[member]).toEqual([]);
    await empty('listSpaces', 'spaces', { nameFilter: '*\0*' });
    for (const label of [{ a: 'b\0' }, { 'a\0': 'b' }]) {
      await empty('listSpaces', 'spaces', { label });
      await empty('listEmbedders', 'embedders', { label });
      await empty('listLLMs', 'llms', { label });
      await empty('listRerankers', 'rerankers', { label });
    }
  });

  test('is INVALID_ARGUMENT in stored fields, ids and tokens', async () => {
    const bad = async (...args: Parameters<typeof call>) =>
      expect(await call(...args)).toMatchObject({ ok: false, code: 'INVALID_ARGUMENT' });
    await bad('createSpace', { name: 'a\0b', embedderId });
    await bad('getSpace', { spaceId: `${spaceId}\0` });
    await bad('listSpaces', { nextToken: 'a\0' });
    await bad('listMemories', { spaceId, sortBy: 'a\0' });
    await bad('getUser', { email: 'a\0@b' });
  });
});
