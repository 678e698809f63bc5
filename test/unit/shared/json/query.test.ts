import { describe, expect, test } from 'vitest';
import { ServiceError } from '../../../../src/shared/errors.ts';
import { PurgeBackgroundJobsRequestSchema } from '../../../../src/shared/gen/service/v1/admin_pb.ts';
import {
  CreateEmbedderRequestSchema,
  ListEmbeddersRequestSchema,
} from '../../../../src/shared/gen/service/v1/embedder_pb.ts';
import {
  BatchGetMemoryRequestSchema,
  CreateMemoryRequestSchema,
  GetMemoryPageImageContentRequestSchema,
  ListChunksRequestSchema,
  ListMemoriesRequestSchema,
} from '../../../../src/shared/gen/service/v1/memory_pb.ts';
import { ListSpacesRequestSchema } from '../../../../src/shared/gen/service/v1/space_pb.ts';
import { decodeJson } from '../../../../src/shared/json/decode.ts';
import { decodePath, decodeQuery, parseQuery, valuesOf } from '../../../../src/shared/json/query.ts';

function details(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof ServiceError) return `${error.code} ${error.message} | ${error.details}`;
    throw error;
  }
  throw new Error('accepted');
}

describe('the raw query', () => {
  test('plus and percent-encoding', () => {
    expect([...parseQuery('a=b+c&d=%C3%A9&e&f=1=2')]).toEqual([
      ['a', 'b c'],
      ['d', 'é'],
      ['e', ''],
      ['f', '1=2'],
    ]);
    expect([...parseQuery('')]).toEqual([]);
  });
  test.each([
    ['name=%zz', 'name'],
    ['a=1&name=%', 'name'],
    ['name=%ff', 'name'],
    ['%=1', 'query'],
  ])('%s is malformed', (query, path) => {
    expect(details(() => parseQuery(query))).toBe(
      `INVALID_ARGUMENT Request has 1 invalid field | ${path}: malformed percent-encoding`,
    );
  });
});

describe('fields from a query', () => {
  const spaces = (query: string) => decodeQuery(ListSpacesRequestSchema, parseQuery(query));
  test.each([
    ['maxResults=5', { maxResults: 5 }],
    ['max_results=5', { maxResults: 5 }],
    ['max_results=5&maxResults=6', { maxResults: 6 }],
    ['maxResults=5&maxResults=6', { maxResults: 6 }],
    ['maxResults=99999999999999', { maxResults: 2 ** 31 - 1 }],
    ['maxResults=-99999999999999', { maxResults: -(2 ** 31) }],
    ['publicRead=true', { publicRead: true }],
    ['publicRead=1', { publicRead: true }],
    ['public_read=false', { publicRead: false }],
    ['publicRead=0', { publicRead: false }],
    ['sortOrder=ASCENDING', { sortOrder: 1 }],
    ['sort_order=SORT_ORDER_DESCENDING', { sortOrder: 2 }],
    ['nameFilter=', { nameFilter: '' }],
    ['nameFilter=a%00&label.b%00=%00', { nameFilter: 'a\0', label: { 'b\0': '\0' } }],
    ['unknown=1&max-results=7', {}],
    ['label.team=a&label[x.y]=b%20c', { label: { team: 'a', 'x.y': 'b c' } }],
    ['label.team=a&label.team=b', { label: { team: 'b' } }],
    ['label=x&label[=y', {}],
  ])('%s', (query, fields) => {
    expect(spaces(query)).toMatchObject(fields);
    expect(Object.keys(spaces(query)).sort()).toEqual(
      [...new Set(['$typeName', 'label', 'sortOrder', 'includeStatistics', ...Object.keys(fields)])].sort(),
    );
  });
  test('a label named like the prototype', () => {
    expect(Object.entries(spaces('label.__proto__=x').label)).toEqual([['__proto__', 'x']]);
  });
  test.each([
    ['maxResults=', 'maxResults: must be an integer'],
    ['max_results=x', 'max_results: must be an integer'],
    ['maxResults=1.5', 'maxResults: must be an integer'],
    ['publicRead=yes', 'publicRead: must be true or false'],
    ['publicRead=TRUE', 'publicRead: must be true or false'],
    ['sortOrder=ascending', 'sortOrder: must be one of ASCENDING, DESCENDING'],
    ['nextToken=%00', 'nextToken: must not contain NUL characters'],
  ])('%s is refused', (query, problem) => {
    expect(details(() => spaces(query))).toBe(`INVALID_ARGUMENT Request has 1 invalid field | ${problem}`);
  });
  test('all violations at once', () => {
    expect(details(() => spaces('maxResults=x&publicRead=x'))).toBe(
      'INVALID_ARGUMENT Request has 2 invalid fields | publicRead: must be true or false; maxResults: must be an integer',
    );
  });
  test('lists, comma-separated and repeated', () => {
    const ids = (query: string) => decodeQuery(BatchGetMemoryRequestSchema, parseQuery(query)).memoryIds;
    expect(ids('memoryIds=a,b&memoryIds=c')).toEqual(['a', 'b', 'c']);
    expect(ids('memory_ids=a&memory_ids=b')).toEqual(['a', 'b']);
    expect(ids('memoryIds=')).toEqual([]);
    const query = parseQuery('statuses=FAILED,BACKGROUND_JOB_CANCELED&statuses=RUNNING');
    expect(decodeQuery(PurgeBackgroundJobsRequestSchema, query).statuses).toEqual([4, 5, 2]);
    const modalities = parseQuery('supportedModalities=TEXT,SMELL');
    expect(details(() => decodeQuery(CreateEmbedderRequestSchema, modalities))).toContain(
      'supportedModalities: must be one of TEXT, IMAGE, AUDIO, VIDEO',
    );
  });
  test('enums by either name', () => {
    const type = (name: string) =>
      decodeQuery(ListEmbeddersRequestSchema, new URLSearchParams({ providerType: name })).providerType;
    expect([type('TEI'), type('PROVIDER_TYPE_TEI'), type('PROVIDER_TYPE_UNSPECIFIED')]).toEqual([3, 3, 0]);
  });
  test('a member of a oneof', () => {
    const { scope } = decodeQuery(ListChunksRequestSchema, parseQuery('memoryId=m'));
    expect(scope).toEqual({ case: 'memoryId', value: 'm' });
  });
  test('times as epoch milliseconds; objects are refused', () => {
    const request = decodeQuery(CreateMemoryRequestSchema, parseQuery('expiresAt=1500&metadata={}&chunkingConfig=x'));
    expect(request.expiresAt).toMatchObject({ seconds: 1n, nanos: 500_000_000 });
    expect([request.metadata, request.chunkingConfig]).toEqual([undefined, undefined]);
  });
});

describe('options', () => {
  test('aliases rank between camelCase and snake_case, in their order', () => {
    const aliases = { limit: 'maxResults', count: 'maxResults' };
    const max = (query: string) => decodeQuery(ListMemoriesRequestSchema, parseQuery(query), { aliases }).maxResults;
    expect(max('max_results=1&count=2&limit=3&maxResults=4')).toBe(4);
    expect(max('max_results=1&count=2&limit=3')).toBe(3);
    expect(max('max_results=1&count=2')).toBe(2);
    expect(max('max_results=1')).toBe(1);
  });
  test('merged into the message of a body, named fields only', () => {
    const into = decodeJson(CreateMemoryRequestSchema, { spaceId: 's', contentType: 'text/plain' });
    const query = parseQuery('waitMs=50&contentType=image/png');
    const message = decodeQuery(CreateMemoryRequestSchema, query, { into, fields: ['waitMs'] });
    expect(message).toBe(into);
    expect([message.waitMs, message.contentType, message.spaceId]).toEqual([50, 'text/plain', 's']);
  });
});

test('path parameters', () => {
  const message = decodePath(GetMemoryPageImageContentRequestSchema, { memoryId: 'm', page_index: '3' });
  expect([message.memoryId, message.pageIndex]).toEqual(['m', 3]);
  expect(details(() => decodePath(GetMemoryPageImageContentRequestSchema, { pageIndex: 'x' }))).toContain(
    'pageIndex: must be an integer',
  );
  const options = { aliases: { id: 'memoryId' } };
  expect(decodePath(GetMemoryPageImageContentRequestSchema, { id: 'm,n' }, options).memoryId).toBe('m,n');
});

test('the first of several spellings wins', () => {
  const params = parseQuery('pp_llm_id=a&ppLlmId=b&ppLlmId=c');
  expect(valuesOf(params, ['postProcessorLlmId', 'ppLlmId', 'pp_llm_id'])).toEqual({
    name: 'ppLlmId',
    values: ['b', 'c'],
  });
  expect(valuesOf(params, ['x'])).toBeUndefined();
});
