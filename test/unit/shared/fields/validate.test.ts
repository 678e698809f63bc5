import type { DescMessage, MessageInitShape } from '@bufbuild/protobuf';
import { create } from '@bufbuild/protobuf';
import { describe, expect, test } from 'vitest';
import { validateMessage } from '../../../../src/shared/fields/validate.ts';
import { PurgeBackgroundJobsRequestSchema } from '../../../../src/shared/gen/service/v1/admin_pb.ts';
import {
  CreateApiKeyRequestSchema,
  UpdateApiKeyRequestSchema,
} from '../../../../src/shared/gen/service/v1/api_key_pb.ts';
import { CredentialsSchema } from '../../../../src/shared/gen/service/v1/common_pb.ts';
import { SamplingParamsSchema } from '../../../../src/shared/gen/service/v1/llm_pb.ts';
import {
  BatchCreateMemoryRequestSchema,
  CreateMemoryRequestSchema,
  GetMemoryPageImageContentRequestSchema,
  ListChunksRequestSchema,
  ListMemoriesRequestSchema,
  RetrieveMemoryRequestSchema,
  UpdateMemoryRequestSchema,
} from '../../../../src/shared/gen/service/v1/memory_pb.ts';
import { OcrDocumentRequestSchema } from '../../../../src/shared/gen/service/v1/ocr_pb.ts';
import { PingConfigSchema } from '../../../../src/shared/gen/service/v1/ping_pb.ts';
import { EmbedderWeightSchema } from '../../../../src/shared/gen/service/v1/retrieve_pb.ts';
import {
  CreateSpaceRequestSchema,
  ListSpacesRequestSchema,
  RecursiveChunkingSchema,
  SpaceEmbedderSelectionSchema,
  UpdateSpaceRequestSchema,
} from '../../../../src/shared/gen/service/v1/space_pb.ts';
import { GetUserRequestSchema } from '../../../../src/shared/gen/service/v1/user_pb.ts';

const ID = '01980000-0000-7000-8000-0000000000b1';

function problems<Desc extends DescMessage>(desc: Desc, init: MessageInitShape<Desc>): string[] {
  return validateMessage(desc, create(desc, init)).map(({ path, problem }) => `${path}: ${problem}`);
}

describe('texts', () => {
  const space = (init: MessageInitShape<typeof CreateSpaceRequestSchema>) =>
    problems(CreateSpaceRequestSchema, { name: 'n', ...init });
  test.each<[string, MessageInitShape<typeof CreateSpaceRequestSchema>, string[]]>([
    ['of the shortest length', { name: 'x' }, []],
    ['of the longest length', { name: 'x'.repeat(255) }, []],
    ['counted in code points', { name: '😀'.repeat(255) }, []],
    ['one code point too long', { name: `${'😀'.repeat(255)}x` }, ['name: must have 1 to 255 characters']],
    ['left out', { name: '' }, ['name: must have 1 to 255 characters']],
    ['beyond a single bound', { description: 'x'.repeat(1025) }, ['description: must have at most 1024 characters']],
    ['optional and empty', { description: '' }, []],
    ['with NUL', { name: 'a\0' }, ['name: must not contain NUL characters']],
    ['with half a pair', { name: 'a\ud800' }, ['name: must be valid Unicode text']],
    ['that is no id', { embedderId: 'x' }, ['embedderId: not a UUID']],
    ['an empty id', { embedderId: '' }, ['embedderId: not a UUID']],
    ['a braced id', { embedderId: `{${ID}}` }, ['embedderId: not a UUID']],
    ['an id and more', { embedderId: `${ID}\n` }, ['embedderId: not a UUID']],
    ['in items', { spaceEmbedders: [{ embedderId: ID }, {}] }, ['spaceEmbedders[1].embedderId: is required']],
  ])('%s', (_name, init, expected) => {
    expect(space(init)).toEqual(expected);
  });
  test('NUL where no rule allows it', () => {
    expect(problems(ListMemoriesRequestSchema, { spaceId: ID, filter: '\0', nextToken: '\0' })).toEqual([
      'nextToken: must not contain NUL characters',
    ]);
    const label = { 'a\0': 'b\0' };
    expect(problems(ListSpacesRequestSchema, { label, nameFilter: '\0' })).toEqual([]);
    const config = { 'a\0': ['\0'] };
    const request = { message: '\0', spaceKeys: [{ spaceId: ID }], postProcessor: { config } };
    expect(problems(RetrieveMemoryRequestSchema, request)).toEqual([]);
  });
  test('several at once, in the order of the fields', () => {
    expect(problems(CreateSpaceRequestSchema, { spaceEmbedders: [{ embedderId: 'x' }] })).toEqual([
      'name: must have 1 to 255 characters',
      'spaceEmbedders[0].embedderId: not a UUID',
    ]);
  });
  test('UUIDs are lowered in place: fields, oneof members, list items', () => {
    const upper = ID.toUpperCase();
    const list = create(ListChunksRequestSchema, { scope: { case: 'spaceId', value: upper } });
    expect(validateMessage(ListChunksRequestSchema, list)).toEqual([]);
    expect(list.scope.value).toBe(ID);
    const key = create(CreateApiKeyRequestSchema, { apiKeyId: upper, restrictions: { spaceIds: [upper, ID] } });
    expect(validateMessage(CreateApiKeyRequestSchema, key)).toEqual([]);
    expect([key.apiKeyId, key.restrictions?.spaceIds]).toEqual([ID, [ID, ID]]);
  });
});

describe('numbers', () => {
  test.each<[number, string[]]>([
    [1, []],
    [36500, []],
    [0, ['retentionDays: must be between 1 and 36500']],
    [36501, ['retentionDays: must be between 1 and 36500']],
  ])('%d between bounds', (retentionDays, expected) => {
    expect(problems(CreateSpaceRequestSchema, { name: 'n', retentionDays })).toEqual(expected);
  });
  test('a lower bound alone, or with the end of the type above', () => {
    expect(problems(PingConfigSchema, { targetId: ID, count: -1n })).toEqual(['count: must be at least 0']);
    expect(problems(SamplingParamsSchema, { maxTokens: 0 })).toEqual(['maxTokens: must be at least 1']);
    expect(problems(GetMemoryPageImageContentRequestSchema, { memoryId: ID, pageIndex: -1 })).toEqual([
      'pageIndex: must be at least 0',
    ]);
  });
  test('fractions, negative bounds', () => {
    expect(problems(SamplingParamsSchema, { temperature: 2, frequencyPenalty: -2 })).toEqual([]);
    expect(problems(SamplingParamsSchema, { temperature: 2.01, frequencyPenalty: -2.5 })).toEqual([
      'temperature: must be between 0 and 2',
      'frequencyPenalty: must be between -2 and 2',
    ]);
  });
  test.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])('%d, which gRPC can encode', (weight) => {
    expect(problems(EmbedderWeightSchema, { embedderId: ID, weight })).toEqual(['weight: must be a finite number']);
    expect(problems(SpaceEmbedderSelectionSchema, { embedderId: ID, defaultRetrievalWeight: weight })).toEqual([
      'defaultRetrievalWeight: must be a finite number',
    ]);
    expect(problems(SamplingParamsSchema, { topP: weight })).toEqual(['topP: must be a finite number']);
  });
  test('a required number whose bounds allow 0 may be 0; another may not', () => {
    expect(problems(EmbedderWeightSchema, { embedderId: ID })).toEqual([]);
    expect(problems(RecursiveChunkingSchema, {})).toEqual(['chunkSize: must be between 1 and 100000']);
  });
  test.each([
    [0, 1],
    [-5, 1],
    [7, 7],
    [501, 500],
    [2 ** 31 - 1, 500],
  ])('%d is moved to %d where clamping is declared', (given, moved) => {
    const request = create(ListMemoriesRequestSchema, { spaceId: ID, maxResults: given });
    expect(validateMessage(ListMemoriesRequestSchema, request)).toEqual([]);
    expect(request.maxResults).toBe(moved);
  });
  test('omitted values are not clamped', () => {
    const request = create(ListMemoriesRequestSchema, { spaceId: ID });
    validateMessage(ListMemoriesRequestSchema, request);
    expect(request.maxResults).toBeUndefined();
  });
});

describe('enums, bytes, times and messages', () => {
  test('an enum that must be given, and a number without a name', () => {
    expect(problems(CredentialsSchema, {})).toEqual(['kind: is required']);
    expect(problems(CredentialsSchema, { kind: 9 as never })).toEqual([
      'kind: must be one of CREDENTIAL_KIND_API_KEY, CREDENTIAL_KIND_GCP_ADC',
    ]);
    expect(problems(UpdateApiKeyRequestSchema, { apiKeyId: ID, status: 7 as never })).toEqual([
      'status: must be one of ACTIVE, INACTIVE',
    ]);
    expect(problems(PurgeBackgroundJobsRequestSchema, { olderThan: {}, statuses: [3, 99 as never] })[0]).toMatch(
      /^statuses\[1\]: must be one of BACKGROUND_JOB_PENDING/,
    );
  });
  test('bytes and times that must be given', () => {
    expect(problems(OcrDocumentRequestSchema, {})).toEqual(['content: is required']);
    expect(problems(OcrDocumentRequestSchema, { content: new Uint8Array([0]) })).toEqual([]);
    expect(problems(PurgeBackgroundJobsRequestSchema, {})).toEqual(['olderThan: is required']);
  });
  test.each([
    [{ seconds: 253402300800n }],
    [{ seconds: -62135596801n }],
    [{ seconds: 2n ** 62n }],
    [{ seconds: 0n, nanos: -1 }],
    [{ seconds: 0n, nanos: 1e9 }],
  ])('the time %o is out of range', (expiresAt) => {
    expect(problems(CreateApiKeyRequestSchema, { expiresAt })).toEqual([
      'expiresAt: must be a time in the years 1 to 9999',
    ]);
  });
  test('inside messages of messages', () => {
    const init = { credential: { case: 'apiKey', value: { secretRef: {}, headerName: '' } }, kind: 1 } as const;
    expect(problems(CredentialsSchema, init)).toEqual([
      'apiKey.secretRef.uri: must have 1 to 4096 characters',
      'apiKey.headerName: must have 1 to 255 characters',
    ]);
  });
});

describe('lists', () => {
  test('the number of items', () => {
    const many = (count: number) => Array.from({ length: count }, () => ({ spaceId: ID }));
    const size = (count: number) => problems(RetrieveMemoryRequestSchema, { message: 'm', spaceKeys: many(count) });
    expect([size(1), size(100)]).toEqual([[], []]);
    expect([size(0), size(101)]).toEqual([
      ['spaceKeys: must have 1 to 100 items'],
      ['spaceKeys: must have 1 to 100 items'],
    ]);
    const embedders = Array.from({ length: 9 }, () => ({ embedderId: 'x' }));
    expect(problems(CreateSpaceRequestSchema, { name: 'n', spaceEmbedders: embedders })).toEqual([
      'spaceEmbedders: must have at most 8 items',
    ]);
  });
  test('the items', () => {
    expect(problems(RecursiveChunkingSchema, { chunkSize: 1, separators: ['', 'x'.repeat(1001)] })).toEqual([
      'separators[1]: must have at most 1000 characters',
    ]);
  });
  test('items that are validated elsewhere are only counted', () => {
    const request = create(BatchCreateMemoryRequestSchema, { requests: [{}], waitMs: -1 });
    expect(validateMessage(BatchCreateMemoryRequestSchema, request).map(({ path }) => path)).toEqual([
      'requests[0].spaceId',
      'waitMs',
    ]);
    const elsewhere = { itemsElsewhere: ['requests'] };
    const paths = (message: typeof request) =>
      validateMessage(BatchCreateMemoryRequestSchema, message, elsewhere).map(({ path }) => path);
    expect(paths(request)).toEqual(['waitMs']);
    expect(paths(create(BatchCreateMemoryRequestSchema, {}))).toEqual(['requests']);
    const many = Array.from({ length: 1001 }, () => ({}));
    expect(paths(create(BatchCreateMemoryRequestSchema, { requests: many }))).toEqual(['requests']);
  });
  test('at most a hundred violations are reported', () => {
    const requests = Array.from({ length: 1000 }, () => ({}));
    expect(problems(BatchCreateMemoryRequestSchema, { requests })).toHaveLength(100);
  });
});

describe('labels and objects', () => {
  const labels = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 'v']));
  test.each<[string, Record<string, string>, string[]]>([
    ['at the bounds', { ['k'.repeat(255)]: 'v'.repeat(255), e: '' }, []],
    ['as many as allowed', labels(20), []],
    ['one too many', labels(21), ['labels: must have at most 20 entries']],
    ['an empty key', { '': 'v' }, ['labels: a key must have 1 to 255 characters']],
    ['a long key', { ['k'.repeat(256)]: 'v' }, ['labels: a key must have 1 to 255 characters']],
    ['a key with NUL', { 'a\0': 'v' }, ['labels: must not contain NUL characters']],
    ['a long value', { team: 'v'.repeat(256) }, ['labels.team: must have at most 255 characters']],
    ['a value with NUL', { team: '\0' }, ['labels.team: must not contain NUL characters']],
  ])('%s', (_name, given, expected) => {
    expect(problems(CreateSpaceRequestSchema, { name: 'n', labels: given })).toEqual(expected);
    const update = { spaceId: ID, labelUpdate: { case: 'mergeLabels', value: { labels: given } } } as const;
    expect(problems(UpdateSpaceRequestSchema, update)).toEqual(
      expected.map((text) => text.replace(/^labels/, 'mergeLabels')),
    );
  });
  test('clearing labels is valid', () => {
    const update = { spaceId: ID, labelUpdate: { case: 'replaceLabels', value: {} } } as const;
    expect(problems(UpdateSpaceRequestSchema, update)).toEqual([]);
  });
  const memory = (metadata: Record<string, never>) =>
    problems(CreateMemoryRequestSchema, { spaceId: ID, contentType: 'text/plain', metadata });
  test('members and size of metadata', () => {
    expect(memory(labels(50) as never)).toEqual([]);
    expect(memory(labels(51) as never)).toEqual(['metadata: must have at most 50 members']);
    // {"a":"…"} takes 8 bytes beside the text, and an é takes two.
    expect(memory({ a: 'é'.repeat(131_068) } as never)).toEqual([]);
    expect(memory({ a: `${'é'.repeat(131_068)}x` } as never)).toEqual([
      'metadata: must take at most 262144 bytes as JSON',
    ]);
    const merge = { memoryId: ID, metadataUpdate: { case: 'mergeMetadata', value: labels(51) } } as const;
    expect(problems(UpdateMemoryRequestSchema, merge)).toEqual([]);
  });
  test('values that protobuf can encode and JSON cannot', () => {
    expect(memory({ a: [Number.NaN], b: { 'c\0': 1 }, d: '\0' } as never)).toEqual([
      'metadata.a[0]: must be a finite number',
      'metadata.b: must not contain NUL characters',
      'metadata.d: must not contain NUL characters',
    ]);
    let deep: unknown = {};
    for (let depth = 0; depth < 100; depth += 1) deep = { a: deep };
    expect(memory(deep as never)).toEqual([`metadata${'.a'.repeat(100)}: must not be nested deeper than 100 levels`]);
  });
});

test('a request without fields has nothing to check', () => {
  expect(problems(GetUserRequestSchema, {})).toEqual([]);
});
