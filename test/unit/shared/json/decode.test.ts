import type { DescMessage } from '@bufbuild/protobuf';
import { describe, expect, test } from 'vitest';
import { ServiceError } from '../../../../src/shared/errors.ts';
import {
  PurgeBackgroundJobsRequestSchema,
  ReloadLicenseRequestSchema,
} from '../../../../src/shared/gen/service/v1/admin_pb.ts';
import {
  CreateApiKeyRequestSchema,
  UpdateApiKeyRequestSchema,
} from '../../../../src/shared/gen/service/v1/api_key_pb.ts';
import { CredentialsSchema } from '../../../../src/shared/gen/service/v1/common_pb.ts';
import { CreateEmbedderRequestSchema } from '../../../../src/shared/gen/service/v1/embedder_pb.ts';
import { CreateLLMRequestSchema } from '../../../../src/shared/gen/service/v1/llm_pb.ts';
import {
  CreateMemoryRequestSchema,
  RetrieveMemoryRequestSchema,
  UpdateMemoryRequestSchema,
} from '../../../../src/shared/gen/service/v1/memory_pb.ts';
import { OcrDocumentRequestSchema } from '../../../../src/shared/gen/service/v1/ocr_pb.ts';
import { PingConfigSchema } from '../../../../src/shared/gen/service/v1/ping_pb.ts';
import { CreateSpaceRequestSchema, UpdateSpaceRequestSchema } from '../../../../src/shared/gen/service/v1/space_pb.ts';
import type { DecodeOptions } from '../../../../src/shared/json/decode.ts';
import { decodeJson } from '../../../../src/shared/json/decode.ts';
import { encodeJson } from '../../../../src/shared/json/encode.ts';
import { parseJsonText } from '../../../../src/shared/json/parse.ts';

const BAD_JSON = 'Invalid JSON: 1 invalid field';
const BAD_FIELD = 'Request has 1 invalid field';

function failure(desc: DescMessage, text: string, options?: DecodeOptions): ServiceError {
  try {
    decodeJson(desc, parseJsonText(text), options);
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  throw new Error(`accepted: ${text}`);
}

function expectFailure(desc: DescMessage, text: string, message: string, details: string, options?: DecodeOptions) {
  const error = failure(desc, text, options);
  expect([error.code, error.message, error.details]).toEqual(['INVALID_ARGUMENT', message, details]);
}

describe('shapes', () => {
  test.each<[DescMessage, string, string]>([
    [CreateSpaceRequestSchema, '[]', 'body: must be an object'],
    [CreateSpaceRequestSchema, 'null', 'body: must be an object'],
    [CreateSpaceRequestSchema, '"{}"', 'body: must be an object'],
    [CreateSpaceRequestSchema, '{"foo":1}', 'foo: unknown field'],
    [CreateSpaceRequestSchema, '{"foo":null}', 'foo: unknown field'],
    [CreateSpaceRequestSchema, '{"__proto__":{}}', '__proto__: unknown field'],
    [CreateSpaceRequestSchema, '{"constructor":1}', 'constructor: unknown field'],
    [CreateSpaceRequestSchema, '{"public_read":true}', 'public_read: unknown field'],
    [CreateSpaceRequestSchema, '{"spaceEmbedders":[{},{"foo":1}]}', 'spaceEmbedders[1].foo: unknown field'],
    [CreateSpaceRequestSchema, '{"spaceEmbedders":{}}', 'spaceEmbedders: must be an array'],
    [CreateSpaceRequestSchema, '{"spaceEmbedders":[1]}', 'spaceEmbedders[0]: must be an object'],
    [CreateSpaceRequestSchema, '{"spaceEmbedders":[null]}', 'spaceEmbedders[0]: must be an object'],
    [CreateSpaceRequestSchema, '{"name":1}', 'name: must be a string'],
    [CreateSpaceRequestSchema, '{"publicRead":1}', 'publicRead: must be true or false'],
    [CreateSpaceRequestSchema, '{"publicRead":"1"}', 'publicRead: must be true or false'],
    [CreateSpaceRequestSchema, '{"labels":[]}', 'labels: must be an object'],
    [CreateSpaceRequestSchema, '{"labels":{"team":1}}', 'labels.team: must be a string'],
    [CreateSpaceRequestSchema, '{"retentionDays":true}', 'retentionDays: must be an integer'],
    [CreateSpaceRequestSchema, '{"retentionDays":"five"}', 'retentionDays: must be an integer'],
    [CreateSpaceRequestSchema, '{"retentionDays":""}', 'retentionDays: must be an integer'],
    [CreateSpaceRequestSchema, '{"retentionDays":"0x10"}', 'retentionDays: must be an integer'],
    [UpdateSpaceRequestSchema, '{"replaceLabels":"x"}', 'replaceLabels: must be an object'],
    [CreateMemoryRequestSchema, '{"metadata":[]}', 'metadata: must be an object'],
    [CreateMemoryRequestSchema, '{"originalContent":5}', 'originalContent: must be a string'],
    [CreateMemoryRequestSchema, '{"originalContentB64":5}', 'originalContentB64: must be a base64 string'],
    [CreateMemoryRequestSchema, '{"expiresAt":"soon"}', 'expiresAt: must be a time in epoch milliseconds'],
    [PurgeBackgroundJobsRequestSchema, '{"olderThan":1772530200000}', 'olderThan: must be an ISO 8601 time'],
    [CreateEmbedderRequestSchema, '{"distributionType":1}', 'distributionType: must be one of DENSE, SPARSE'],
    [ReloadLicenseRequestSchema, '{"a":1}', 'a: unknown field'],
  ])('$1', (desc, text, details) => {
    expectFailure(desc, text, BAD_JSON, details);
  });
  test('a long name is shortened', () => {
    const { details } = failure(CreateSpaceRequestSchema, JSON.stringify({ ['x'.repeat(5000)]: 1 }));
    expect(details).toBe(`${'x'.repeat(100)}…: unknown field`);
  });
  test('all violations at once, and at most a hundred', () => {
    const text = '{"foo":1,"name":2,"spaceEmbedders":[{"bar":1}],"retentionDays":1.5}';
    const details =
      'foo: unknown field; name: must be a string; spaceEmbedders[0].bar: unknown field; retentionDays: must be an integer';
    expectFailure(CreateSpaceRequestSchema, text, 'Invalid JSON: 4 invalid fields', details);
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`f${index}`, 1]));
    expect(failure(CreateSpaceRequestSchema, JSON.stringify(many)).message).toBe('Invalid JSON: 100 invalid fields');
  });
});

describe('values', () => {
  const EPOCH = 'must be whole epoch milliseconds between -62135596800000 and 253402300799999';
  test.each<[DescMessage, string, string]>([
    [CreateSpaceRequestSchema, '{"retentionDays":1.5}', 'retentionDays: must be an integer'],
    [
      CreateSpaceRequestSchema,
      '{"retentionDays":2147483648}',
      'retentionDays: must be between -2147483648 and 2147483647',
    ],
    [CreateSpaceRequestSchema, '{"retentionDays":1e999}', 'retentionDays: must be an integer'],
    [
      PingConfigSchema,
      '{"count":9.1e18}',
      'count: is beyond 2^53 and must be written as an integer with all its digits',
    ],
    [
      PingConfigSchema,
      '{"count":"9223372036854775808"}',
      'count: must be between -9223372036854775808 and 9223372036854775807',
    ],
    [
      CreateLLMRequestSchema,
      '{"defaultSamplingParams":{"topP":1e999}}',
      'defaultSamplingParams.topP: must be a finite number',
    ],
    [CreateMemoryRequestSchema, '{"expiresAt":1.5}', `expiresAt: ${EPOCH}`],
    [CreateMemoryRequestSchema, '{"expiresAt":253402300800000}', `expiresAt: ${EPOCH}`],
    [PurgeBackgroundJobsRequestSchema, '{"olderThan":"2026-02-30"}', 'olderThan: not an ISO 8601 time'],
    [CreateEmbedderRequestSchema, '{"distributionType":"dense"}', 'distributionType: must be one of DENSE, SPARSE'],
    [CredentialsSchema, '{"kind":"NONE"}', 'kind: must be one of CREDENTIAL_KIND_API_KEY, CREDENTIAL_KIND_GCP_ADC'],
    [CreateMemoryRequestSchema, '{"originalContentB64":"YQ=b"}', 'originalContentB64: not base64'],
    [CreateSpaceRequestSchema, '{"name":"a\\u0000"}', 'name: must not contain NUL characters'],
    [CreateSpaceRequestSchema, '{"name":"\\ud800"}', 'name: must be valid Unicode text'],
    [CreateSpaceRequestSchema, '{"labels":{"a\\u0000":"b"}}', 'labels: must not contain NUL characters'],
    [CreateSpaceRequestSchema, '{"labels":{"a":"\\u0000"}}', 'labels.a: must not contain NUL characters'],
    [
      CreateMemoryRequestSchema,
      '{"metadata":{"a":[{"b":"\\u0000"}]}}',
      'metadata.a[0].b: must not contain NUL characters',
    ],
    [CreateMemoryRequestSchema, '{"metadata":{"a":{"\\u0000":1}}}', 'metadata.a: must not contain NUL characters'],
    [CreateMemoryRequestSchema, '{"metadata":{"a":"\\udc00"}}', 'metadata.a: must be valid Unicode text'],
    [CreateMemoryRequestSchema, '{"metadata":{"a":-1e999}}', 'metadata.a: must be a finite number'],
    [
      CreateMemoryRequestSchema,
      '{"metadata":{"a":[{"b":-9007199254740993}]}}',
      'metadata.a[0].b: must not be an integer beyond 2^53, which would be rounded; give a string',
    ],
    [
      CreateSpaceRequestSchema,
      '{"retentionDays":12345678901234567890}',
      'retentionDays: must be between -2147483648 and 2147483647',
    ],
    [CreateMemoryRequestSchema, '{"expiresAt":12345678901234567890}', `expiresAt: ${EPOCH}`],
    [CreateMemoryRequestSchema, '{"originalContent":"\\ud800"}', 'originalContent: must be valid Unicode text'],
    [
      CreateSpaceRequestSchema,
      '{"defaultChunkingConfig":{"sentence":{"maxChunkSize":5},"none":{}}}',
      'defaultChunkingConfig.none: give either none or sentence',
    ],
    [
      UpdateSpaceRequestSchema,
      '{"mergeLabels":{},"replaceLabels":{}}',
      'replaceLabels: give either replaceLabels or mergeLabels',
    ],
    [
      CreateMemoryRequestSchema,
      '{"originalContentB64":"YQ==","originalContent":"a"}',
      'originalContent: give either originalContent or originalContentB64',
    ],
    [
      RetrieveMemoryRequestSchema,
      '{"spaceKeys":[{"embedderWeights":[{"embedderId":"e"}]}]}',
      'spaceKeys[0].embedderWeights[0].weight: is required',
    ],
    [UpdateSpaceRequestSchema, '{"ownerId":"x"}', 'ownerId: immutable'],
    [UpdateMemoryRequestSchema, '{"originalContentB64":"x"}', 'originalContentB64: immutable'],
  ])('$1', (desc, text, details) => {
    expectFailure(desc, text, BAD_FIELD, details);
  });
  test('an immutable name beside an unknown one is bad JSON', () => {
    const message = 'Invalid JSON: 2 invalid fields';
    expectFailure(
      UpdateSpaceRequestSchema,
      '{"ownerId":"x","foo":1}',
      message,
      'ownerId: immutable; foo: unknown field',
    );
  });
  test('free-form objects nest a hundred levels at most', () => {
    const nested = (depth: number) => `{"metadata":${'{"a":'.repeat(depth - 1)}{}${'}'.repeat(depth - 1)}}`;
    expect(decodeJson(CreateMemoryRequestSchema, parseJsonText(nested(100))).metadata).toBeDefined();
    expect(failure(CreateMemoryRequestSchema, nested(101)).details).toMatch(
      /^metadata(\.a){100}: must not be nested deeper than 100 levels$/,
    );
    expect(failure(CreateMemoryRequestSchema, nested(100_000)).message).toBe(
      'Invalid JSON: nested deeper than 128 levels',
    );
  });
  test('integers keep all their digits, and free-form objects those of an exact double', () => {
    expect(decodeJson(PingConfigSchema, parseJsonText('{"count":9007199254740993}')).count).toBe(9007199254740993n);
    const text =
      '{"metadata":{"a":9007199254740992,"b":[-9007199254740992,1e300,9007199254740993.5],"c":"9007199254740993"}}';
    expect(decodeJson(CreateMemoryRequestSchema, parseJsonText(text)).metadata).toEqual({
      a: 2 ** 53,
      b: [-(2 ** 53), 1e300, 9007199254740994],
      c: '9007199254740993',
    });
  });
  test('fields of path or query are unknown in the body', () => {
    const omit = { omit: ['spaceId'] };
    expectFailure(UpdateSpaceRequestSchema, '{"spaceId":"x"}', BAD_JSON, 'spaceId: unknown field', omit);
    expect(decodeJson(UpdateSpaceRequestSchema, parseJsonText('{"name":"x"}'), omit).name).toBe('x');
  });
});

describe('accepted bodies', () => {
  test.each<[DescMessage, string, string]>([
    [UpdateSpaceRequestSchema, '{"name":null,"ownerId":null,"mergeLabels":null}', '{"spaceId":""}'],
    [CreateApiKeyRequestSchema, '{"expiresAt":"1798761600000"}', '{"labels":{},"expiresAt":1798761600000}'],
    [CreateApiKeyRequestSchema, '{"expiresAt":0}', '{"labels":{},"expiresAt":0}'],
    [CreateApiKeyRequestSchema, '{"labels":{"a":"b","c":null}}', '{"labels":{"a":"b"}}'],
    [UpdateApiKeyRequestSchema, '{"status":"INACTIVE"}', '{"apiKeyId":"","status":"INACTIVE"}'],
    [UpdateApiKeyRequestSchema, '{"status":"API_KEY_STATUS_INACTIVE"}', '{"apiKeyId":"","status":"INACTIVE"}'],
    [UpdateSpaceRequestSchema, '{"publicRead":"true"}', '{"spaceId":"","publicRead":true}'],
    [
      UpdateSpaceRequestSchema,
      '{"publicRead":"false","retentionDays":"30.0"}',
      '{"spaceId":"","publicRead":false,"retentionDays":30}',
    ],
    [UpdateSpaceRequestSchema, '{"retentionDays":-0.0}', '{"spaceId":"","retentionDays":0}'],
    [
      PurgeBackgroundJobsRequestSchema,
      '{"olderThan":"2026-03-03T10:30:00+01:00","statuses":["FAILED","BACKGROUND_JOB_CANCELED"],"limit":"9007199254740993"}',
      '{"olderThan":"2026-03-03T09:30:00Z","statuses":["BACKGROUND_JOB_FAILED","BACKGROUND_JOB_CANCELED"],"dryRun":false,"limit":9007199254740993}',
    ],
    [
      OcrDocumentRequestSchema,
      '{"content":"-_8="}',
      '{"content":"+/8=","includeRawJson":false,"includeMarkdown":false}',
    ],
    [
      UpdateMemoryRequestSchema,
      '{"mergeMetadata":{"room":"attic","tags":null}}',
      '{"memoryId":"","mergeMetadata":{"room":"attic","tags":null}}',
    ],
  ])('$1', (desc, text, written) => {
    expect(encodeJson(desc, decodeJson(desc, parseJsonText(text)))).toBe(written);
  });
  test('no body is an empty one', () => {
    expect(decodeJson(CreateApiKeyRequestSchema, undefined)).toEqual(decodeJson(CreateApiKeyRequestSchema, {}));
  });
  test('text content as UTF-8, NUL and all', () => {
    const { originalContent } = decodeJson(CreateMemoryRequestSchema, parseJsonText('{"originalContent":"a\\u0000é"}'));
    expect(Buffer.from(originalContent ?? []).toString('hex')).toBe('6100c3a9');
  });
  test('keys named like the prototype stay keys and touch no prototype', () => {
    const text = '{"metadata":{"__proto__":{"polluted":true},"constructor":1},"contentType":"a"}';
    const { metadata } = decodeJson(CreateMemoryRequestSchema, parseJsonText(text));
    expect(Object.keys(metadata ?? {})).toEqual(['__proto__', 'constructor']);
    const { labels } = decodeJson(
      CreateSpaceRequestSchema,
      parseJsonText('{"labels":{"__proto__":"x","toString":"y"}}'),
    );
    expect(Object.keys(labels)).toEqual(['__proto__', 'toString']);
    expect('polluted' in {}).toBe(false);
  });
});
