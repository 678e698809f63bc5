import { create, type DescMessage, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { expect, test } from 'vitest';
import { readMessage, requireModest } from '../../src/shared/binary.ts';
import { ServiceError } from '../../src/shared/errors.ts';
import { CreateEmbedderRequestSchema } from '../../src/shared/gen/service/v1/embedder_pb.ts';
import {
  BatchCreateMemoryRequestSchema,
  CreateMemoryRequestSchema,
} from '../../src/shared/gen/service/v1/memory_pb.ts';
import { CreateSpaceRequestSchema } from '../../src/shared/gen/service/v1/space_pb.ts';

function bytesOf<Desc extends DescMessage>(desc: Desc, init: MessageInitShape<Desc>): Uint8Array {
  return toBinary(desc, create(desc, init));
}

function refusal(desc: DescMessage, bytes: Uint8Array): string | undefined {
  try {
    requireModest(desc, bytes);
    return undefined;
  } catch (error) {
    if (error instanceof ServiceError) return `${error.code} ${error.message}`;
    throw error;
  }
}

function nested(depth: number): { metadata: Record<string, never> } {
  let metadata = {};
  for (let level = 1; level < depth; level += 1) metadata = { a: metadata };
  return { metadata };
}

const TOO_MANY = 'PAYLOAD_TOO_LARGE The message contains more values than the server accepts';
const many = 500_001;
const numbered = Array.from({ length: 300_000 }, (_, index) => [`k${index}`, 'v'] as const);

test.each<[string, DescMessage, Uint8Array]>([
  ['items', BatchCreateMemoryRequestSchema, Buffer.from('0a00'.repeat(many), 'hex')],
  [
    'entries of a map',
    CreateSpaceRequestSchema,
    bytesOf(CreateSpaceRequestSchema, { labels: Object.fromEntries(numbered) }),
  ],
  [
    'members of an object',
    CreateMemoryRequestSchema,
    bytesOf(CreateMemoryRequestSchema, { metadata: Object.fromEntries(numbered) }),
  ],
  [
    'values of a free-form list',
    CreateMemoryRequestSchema,
    bytesOf(CreateMemoryRequestSchema, { metadata: { a: Array(many).fill(null) } }),
  ],
  [
    'packed enums',
    CreateEmbedderRequestSchema,
    new BinaryWriter().tag(10, WireType.LengthDelimited).bytes(new Uint8Array(many)).finish(),
  ],
  ['a field again and again', CreateSpaceRequestSchema, Buffer.from('0a00'.repeat(many), 'hex')],
  ['unknown fields', CreateSpaceRequestSchema, Buffer.from('f83f00'.repeat(many), 'hex')],
])('too many are refused before they are read: %s', (_name, desc, bytes) => {
  expect(refusal(desc, bytes)).toBe(TOO_MANY);
});

test('the largest batch, full of metadata, is not', () => {
  const metadata = Object.fromEntries(numbered.slice(0, 50));
  const request = { spaceId: 'x', contentType: 'text/plain', metadata, originalContent: new Uint8Array(10_000) };
  const bytes = bytesOf(BatchCreateMemoryRequestSchema, { requests: Array(1000).fill(request) });
  expect(refusal(BatchCreateMemoryRequestSchema, bytes)).toBeUndefined();
  expect(readMessage(BatchCreateMemoryRequestSchema, bytes).requests).toHaveLength(1000);
});

test('free-form objects may nest a hundred deep on the wire as well', () => {
  const bytes = bytesOf(CreateMemoryRequestSchema, nested(100));
  expect(refusal(CreateMemoryRequestSchema, bytes)).toBeUndefined();
  expect(readMessage(CreateMemoryRequestSchema, bytes).metadata).toEqual(nested(100).metadata);
  expect(refusal(CreateMemoryRequestSchema, bytesOf(CreateMemoryRequestSchema, nested(200)))).toBe(
    'INVALID_ARGUMENT The request is nested deeper than 256 messages',
  );
});

test('fields that the message does not know are dropped', () => {
  expect(readMessage(CreateSpaceRequestSchema, Buffer.from('f83f00', 'hex')).$unknown).toBeUndefined();
});
