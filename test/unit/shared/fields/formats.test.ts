import type { DescMessage, MessageInitShape } from '@bufbuild/protobuf';
import { create } from '@bufbuild/protobuf';
import { describe, expect, test } from 'vitest';
import { validateMessage } from '../../../../src/shared/fields/validate.ts';
import { CreateMemoryRequestSchema } from '../../../../src/shared/gen/service/v1/memory_pb.ts';
import { CreateRerankerRequestSchema } from '../../../../src/shared/gen/service/v1/reranker_pb.ts';
import { CreateUserRequestSchema } from '../../../../src/shared/gen/service/v1/user_pb.ts';

const ID = '01980000-0000-7000-8000-0000000000b1';

function problems<Desc extends DescMessage>(desc: Desc, init: MessageInitShape<Desc>): string[] {
  return validateMessage(desc, create(desc, init)).map(({ path, problem }) => `${path}: ${problem}`);
}

describe('formats', () => {
  const email = (text: string) => problems(CreateUserRequestSchema, { displayName: 'A', email: text });
  test.each(['a@b', 'ada@example.org', 'root@localhost', 'ü+x@é.org'])('the address %s', (text) => {
    expect(email(text)).toEqual([]);
  });
  test.each(['a', '@', 'a@', '@b', 'a@b@c', 'a b@c', 'a@b c', 'a@b\n', 'a\u0001@b'])('%j is no address', (text) => {
    expect(email(text)).toEqual(['email: not an e-mail address']);
  });
  test('an address has bounds and must be given', () => {
    expect(email('')).toEqual(['email: is required']);
    expect(email(`${'a'.repeat(320)}@b`)).toEqual(['email: must have at most 320 characters']);
  });
  test('user names', () => {
    const name = (username: string) => problems(CreateUserRequestSchema, { displayName: 'A', email: 'a@b', username });
    expect(name('A.b_c-9')).toEqual([]);
    expect(name('')).toEqual(['username: must have 1 to 64 characters']);
    expect(name('a b')).toEqual(['username: may hold only letters, digits, ".", "_" and "-"']);
    expect(name('é')).toHaveLength(1);
  });
  const url = (endpointUrl: string) =>
    problems(CreateRerankerRequestSchema, { displayName: 'A', providerType: 1, modelIdentifier: 'm', endpointUrl });
  test.each(['http://a', 'https://models.example.org/v1', 'HTTP://[::1]:8000/', 'http://llm.lan:8000/v1?x=y'])(
    '%s',
    (text) => {
      expect(url(text)).toEqual([]);
    },
  );
  test('a required URL that is empty is missing', () => {
    expect(url('')).toEqual(['endpointUrl: is required']);
  });
  test.each([
    'a',
    'ftp://a',
    'file:///dir',
    'http:',
    'http://',
    'http:a',
    'javascript:1',
    ' http://a',
    'http://a b',
    'http://a:99999',
    'http://a\n',
  ])('%j is no http URL', (text) => {
    expect(url(text)).toEqual(['endpointUrl: not an http or https URL']);
  });
  const media = (contentType: string) => problems(CreateMemoryRequestSchema, { spaceId: ID, contentType });
  test.each([
    'text/plain',
    'text/plain; charset=utf-8',
    'text/plain;charset="a;b\\""',
    'application/vnd.x+json;a=b ; c=d',
  ])('%s', (text) => {
    expect(media(text)).toEqual([]);
  });
  test.each([
    'text',
    'text/',
    '/plain',
    'text/plain;',
    'text/plain; a',
    'text /plain',
    'text/plain,text/html',
    'text/plain; a="b',
    'text/plain; a="\u65e5"',
    'text/plain; a="b\nc"',
    '*/ *',
  ])('%j is no media type', (text) => {
    expect(media(text)).toEqual(['contentType: not a media type']);
  });
});
