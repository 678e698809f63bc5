import { create } from '@bufbuild/protobuf';
import { anyPack } from '@bufbuild/protobuf/wkt';
import { describe, expect, test } from 'vitest';
import { ERROR_DOMAIN } from '../../../../src/shared/error-details.ts';
import { ErrorInfoSchema } from '../../../../src/shared/gen/google/rpc/error_details_pb.ts';
import { StatusSchema } from '../../../../src/shared/gen/google/rpc/status_pb.ts';
import { ActiveLicenseSchema } from '../../../../src/shared/gen/service/v1/admin_pb.ts';
import { ApiKeyStatus, UpdateApiKeyRequestSchema } from '../../../../src/shared/gen/service/v1/api_key_pb.ts';
import { CredentialKind, CredentialsSchema, ProviderType } from '../../../../src/shared/gen/service/v1/common_pb.ts';
import { EmbedderSchema } from '../../../../src/shared/gen/service/v1/embedder_pb.ts';
import { LLMProviderType, LLMSchema } from '../../../../src/shared/gen/service/v1/llm_pb.ts';
import {
  BatchMemoryResultSchema,
  CreateMemoryRequestSchema,
  ListMemoriesResponseSchema,
  MemorySchema,
  ProcessingStatus,
  RetrievedItemSchema,
} from '../../../../src/shared/gen/service/v1/memory_pb.ts';
import { PingTimingSchema } from '../../../../src/shared/gen/service/v1/ping_pb.ts';
import {
  HnswOptionsSchema,
  IterativeScan,
  ResultSetBoundarySchema,
} from '../../../../src/shared/gen/service/v1/retrieve_pb.ts';
import {
  KeepStrategy,
  RecursiveChunkingSchema,
  SpaceSchema,
  UpdateSpaceRequestSchema,
} from '../../../../src/shared/gen/service/v1/space_pb.ts';
import { SystemInfoSchema, SystemStatusSchema } from '../../../../src/shared/gen/service/v1/system_pb.ts';
import { encodeJson } from '../../../../src/shared/json/encode.ts';
import { timestampFromMs } from '../../../../src/shared/time.ts';

describe('defaults and presence', () => {
  test('fields without presence are written, optional ones left out, an unspecified enum too', () => {
    expect(encodeJson(SpaceSchema, create(SpaceSchema))).toBe(
      '{"spaceId":"","name":"","labels":{},"spaceEmbedders":[],"ownerId":"","createdById":"","updatedById":"","publicRead":false}',
    );
    expect(encodeJson(MemorySchema, create(MemorySchema))).toBe(
      '{"memoryId":"","spaceId":"","originalContentLength":0,"originalContentSha256":"","contentType":"","pageImageCount":0,"createdById":"","updatedById":""}',
    );
  });
  test('an optional field that is set to its default is written', () => {
    const boundary = create(ResultSetBoundarySchema, { resultSetId: 'r', kind: 1, expectedItems: 0 });
    expect(encodeJson(ResultSetBoundarySchema, boundary)).toBe(
      '{"resultSetId":"r","kind":"BEGIN","stageName":"","expectedItems":0}',
    );
  });
  test('the token after the last page is null', () => {
    expect(encodeJson(ListMemoriesResponseSchema, create(ListMemoriesResponseSchema))).toBe(
      '{"memories":[],"nextToken":null}',
    );
    expect(encodeJson(ListMemoriesResponseSchema, create(ListMemoriesResponseSchema, { nextToken: 'abc' }))).toBe(
      '{"memories":[],"nextToken":"abc"}',
    );
  });
});

describe('scalars', () => {
  test('int64 with all digits', () => {
    const timing = create(PingTimingSchema, {
      clientSendTimeUnixNanos: 1772530200123456789n,
      serverSendTimeUnixNanos: -1n,
    });
    expect(encodeJson(PingTimingSchema, timing)).toContain('"clientSendTimeUnixNanos":1772530200123456789,');
    expect(encodeJson(PingTimingSchema, timing)).toContain('"serverSendTimeUnixNanos":-1,');
  });
  test.each([
    [Number.NaN, 'null'],
    [Number.POSITIVE_INFINITY, 'null'],
    [Number.NEGATIVE_INFINITY, 'null'],
    [-0, '0'],
    [0.1, '0.1'],
    [1e21, '1e+21'],
    [-3.5, '-3.5'],
  ])('the number %s', (score, text) => {
    const item = create(RetrievedItemSchema, { relevanceScore: score });
    expect(encodeJson(RetrievedItemSchema, item)).toBe(`{"memoryIndex":0,"relevanceScore":${text},"resultSetId":""}`);
  });
  test.each([
    '',
    'plain',
    'quote " and \\',
    'line\nbreak\ttab',
    '\u0001\u001f',
    'é 漢 😀',
    '\ud800',
    '\u2028\u007f',
    '/',
  ])('the text %j', (text) => {
    const item = create(RetrievedItemSchema, { resultSetId: text });
    expect(encodeJson(RetrievedItemSchema, item)).toContain(`"resultSetId":${JSON.stringify(text)}`);
  });
  test('bytes as padded standard base64, of a view into a larger buffer too', () => {
    const bytes = new Uint8Array([0, 251, 255, 254, 7]).subarray(1, 4);
    const memory = create(MemorySchema, { originalContent: bytes });
    expect(encodeJson(MemorySchema, memory)).toContain('"originalContent":"+//+"');
    expect(encodeJson(MemorySchema, create(MemorySchema, { originalContent: bytes.subarray(0, 1) }))).toContain(
      '"+w=="',
    );
  });
  test('times as epoch milliseconds, before 1970 too; as ISO text where declared', () => {
    const at = (ms: number) => encodeJson(MemorySchema, create(MemorySchema, { createdAt: timestampFromMs(ms) }));
    expect(at(1772530200001)).toContain('"createdAt":1772530200001,');
    expect(at(-1)).toContain('"createdAt":-1,');
    expect(at(0)).toContain('"createdAt":0,');
    const license = create(ActiveLicenseSchema, { modifiedAt: timestampFromMs(1772530200000) });
    expect(encodeJson(ActiveLicenseSchema, license)).toContain('"modifiedAt":"2026-03-03T09:30:00Z"');
  });
});

describe('enums', () => {
  test('by the name without the prefix that repeats the type', () => {
    const memory = create(MemorySchema, { processingStatus: ProcessingStatus.PENDING });
    expect(encodeJson(MemorySchema, memory)).toContain('"processingStatus":"PENDING"');
    const llm = create(LLMSchema, { providerType: LLMProviderType.LLM_PROVIDER_TYPE_OPEN_ROUTER });
    expect(encodeJson(LLMSchema, llm)).toContain('"providerType":"OPEN_ROUTER"');
    const embedder = create(EmbedderSchema, { providerType: ProviderType.LLAMA_CPP });
    expect(encodeJson(EmbedderSchema, embedder)).toContain('"providerType":"LLAMA_CPP"');
  });
  test('by the full name where declared, or without a common prefix', () => {
    const credentials = create(CredentialsSchema, { kind: CredentialKind.API_KEY });
    expect(encodeJson(CredentialsSchema, credentials)).toBe('{"kind":"CREDENTIAL_KIND_API_KEY","labels":{}}');
    const hnsw = create(HnswOptionsSchema, { iterativeScan: IterativeScan.OFF });
    expect(encodeJson(HnswOptionsSchema, hnsw)).toBe('{"iterativeScan":"ITERATIVE_SCAN_OFF"}');
    const chunking = create(RecursiveChunkingSchema, { keepStrategy: KeepStrategy.KEEP_END });
    expect(encodeJson(RecursiveChunkingSchema, chunking)).toContain('"keepStrategy":"KEEP_END"');
  });
  test('an unknown number as the number; a given 0 by its name', () => {
    const memory = create(MemorySchema, { processingStatus: 77 as ProcessingStatus });
    expect(encodeJson(MemorySchema, memory)).toContain('"processingStatus":77');
    const update = create(UpdateApiKeyRequestSchema, { status: ApiKeyStatus.UNSPECIFIED });
    expect(encodeJson(UpdateApiKeyRequestSchema, update)).toBe('{"apiKeyId":"","status":"UNSPECIFIED"}');
  });
});

describe('messages', () => {
  test('of a oneof the set member', () => {
    const item = create(RetrievedItemSchema, { item: { case: 'memory', value: {} } });
    expect(Object.keys(JSON.parse(encodeJson(RetrievedItemSchema, item)) as object)[0]).toBe('memory');
  });
  test('wrappers are written as their value', () => {
    const update = create(UpdateSpaceRequestSchema, { labelUpdate: { case: 'replaceLabels', value: {} } });
    expect(encodeJson(UpdateSpaceRequestSchema, update)).toBe('{"spaceId":"","replaceLabels":{}}');
    const info = create(SystemInfoSchema, { capabilities: { capabilities: { ocr: 'false' } } });
    expect(encodeJson(SystemInfoSchema, info)).toContain('"capabilities":{"ocr":"false"}');
    expect(encodeJson(SystemInfoSchema, create(SystemInfoSchema))).not.toContain('capabilities');
  });
  test('maps of integers and of messages', () => {
    const status = create(SystemStatusSchema, { counts: { users: 2n }, pools: { main: { idle: 2 } } });
    const text = encodeJson(SystemStatusSchema, status);
    expect(text).toContain('"counts":{"users":2}');
    expect(text).toContain('"pools":{"main":{"idle":2,"used":0,"waiting":0}}');
  });
  test('free-form objects unchanged, with members named like the prototype', () => {
    const metadata = JSON.parse('{"a":[1,null,{}],"__proto__":{"x":1},"b":[]}') as Record<string, never>;
    expect(encodeJson(MemorySchema, create(MemorySchema, { metadata }))).toContain(
      '"metadata":{"a":[1,null,{}],"__proto__":{"x":1},"b":[]}',
    );
  });
  test('inexact numbers of free-form objects are not written as integers', () => {
    const metadata = {
      a: [1e20, -(2 ** 53), 12345678901234567000],
      b: '12345678901234567890',
      c: 0.1 + 0.2,
      'd"': { e: 2 ** 60 },
    };
    expect(encodeJson(MemorySchema, create(MemorySchema, { metadata }))).toContain(
      '"metadata":{"a":[1e+20,-9007199254740992,1.2345678901234567e+19],"b":"12345678901234567890","c":0.30000000000000004,"d\\"":{"e":1.152921504606847e+18}}',
    );
  });
  test.each([
    ['text', Buffer.from('a\u0000"é'), '"originalContent":"a\\u0000\\"é"'],
    ['a byte order mark', Buffer.from('\ufeffx'), '"originalContent":"\ufeffx"'],
    ['nothing', new Uint8Array(), '"originalContent":""'],
    ['no text', new Uint8Array([0xff, 0xfe]), '"originalContentB64":"//4="'],
  ])('content that is %s', (_name, originalContent, member) => {
    const request = create(CreateMemoryRequestSchema, { originalContent });
    expect(encodeJson(CreateMemoryRequestSchema, request)).toContain(member);
  });
  test.each([
    [{ code: 5 }, 404],
    [{ code: 3 }, 400],
    [{ code: 8 }, 429],
    [{ code: 8, reason: 'RESOURCE_EXHAUSTED' }, 429],
    [{ code: 8, reason: 'ANOTHER' }, 429],
    [{ code: 9, reason: 'FAILED_PRECONDITION' }, 412],
    [{ code: 2 }, 500],
  ])('the status %j as HTTP %d', ({ code, reason }: { code: number; reason?: string }, http) => {
    const details =
      reason === undefined ? [] : [anyPack(ErrorInfoSchema, create(ErrorInfoSchema, { reason, domain: ERROR_DOMAIN }))];
    const error = create(StatusSchema, { code, message: 'why', details });
    const result = create(BatchMemoryResultSchema, { requestIndex: 1, error });
    expect(encodeJson(BatchMemoryResultSchema, result)).toBe(
      `{"success":false,"requestIndex":1,"error":{"code":${http},"message":"why"}}`,
    );
  });
});
