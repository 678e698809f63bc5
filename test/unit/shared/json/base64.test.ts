import { describe, expect, test } from 'vitest';
import { CreateMemoryRequestSchema } from '../../../../src/shared/gen/service/v1/memory_pb.ts';
import { decodeJson } from '../../../../src/shared/json/decode.ts';

describe('base64', () => {
  const bytesOf = (text: string) =>
    Buffer.from(decodeJson(CreateMemoryRequestSchema, { originalContentB64: text }).originalContent ?? []);
  test.each([
    ['', ''],
    ['YQ==', 'a'],
    ['YQ', 'a'],
    ['YWI=', 'ab'],
    ['YWI', 'ab'],
    ['YWJj', 'abc'],
    ['YWJjZA==', 'abcd'],
  ])('%j', (text, bytes) => {
    expect(bytesOf(text).toString()).toBe(bytes);
  });
  test.each([
    'Y',
    'YQ=',
    'YQ===',
    '=',
    '====',
    'YQ==YQ==',
    'Y Q==',
    'YQ==\n',
    'YR==',
    'YWJ=',
    'YW*j',
    'YW.=',
    'YWJjé',
    'YW=j',
    'YWJjZ',
  ])('%j is not base64', (text) => {
    expect(() => bytesOf(text)).toThrow('Request has 1 invalid field');
  });
});
