import { create, type DescMessage, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import { readMessage, requireModest } from '../../../src/shared/binary.ts';
import { ServiceError } from '../../../src/shared/errors.ts';
import { ServerReflectionRequestSchema } from '../../../src/shared/gen/grpc/reflection/v1/reflection_pb.ts';
import { CreateEmbedderRequestSchema } from '../../../src/shared/gen/service/v1/embedder_pb.ts';
import {
  BatchCreateMemoryRequestSchema,
  ChunkVectorSchema,
  CreateMemoryRequestSchema,
} from '../../../src/shared/gen/service/v1/memory_pb.ts';
import { CreateSpaceRequestSchema } from '../../../src/shared/gen/service/v1/space_pb.ts';

function bytesOf<Desc extends DescMessage>(desc: Desc, init: MessageInitShape<Desc>): Uint8Array {
  return toBinary(desc, create(desc, init));
}

function refusal(desc: DescMessage, bytes: Uint8Array): string | undefined {
  try {
    requireModest(desc, bytes);
    return undefined;
  } catch (error) {
    if (error instanceof ServiceError) return [error.code, error.message, error.details].join(' ').trim();
    throw error;
  }
}

function nested(depth: number): { metadata: Record<string, never> } {
  let metadata = {};
  for (let level = 1; level < depth; level += 1) metadata = { a: metadata };
  return { metadata };
}

const TOO_MANY =
  'PAYLOAD_TOO_LARGE The message contains more values than the server accepts ' +
  'at most 500000 fields, counting those of list items and map entries';
const many = 500_001;

/** Written out by hand: to encode hundreds of thousands of values takes seconds. */
const times = (count: number, bytes: Uint8Array) => Buffer.concat(Array<Uint8Array>(count).fill(bytes));
const field = (number: number, bytes: Uint8Array) =>
  new BinaryWriter().tag(number, WireType.LengthDelimited).bytes(bytes).finish();
const metadataField = (object: Uint8Array) => field(CreateMemoryRequestSchema.field.metadata.number, object);
/** A google.protobuf.Struct of this one member. */
const member = (name: string, value: Uint8Array) =>
  field(1, Buffer.concat([field(1, Buffer.from(name)), field(2, value)]));
const listValue = (values: Uint8Array) => field(6, values);
const NULL_ITEM = Buffer.from('0a020800', 'hex');

test('hand-written bytes equal those of the library', () => {
  const text = bytesOf(CreateMemoryRequestSchema, { metadata: { k: 'v' } });
  expect(metadataField(member('k', field(3, Buffer.from('v'))))).toEqual(text);
  const list = bytesOf(CreateMemoryRequestSchema, { metadata: { a: [null, null] } });
  expect(metadataField(member('a', listValue(times(2, NULL_ITEM))))).toEqual(list);
});

test.each<[string, DescMessage, Uint8Array]>([
  ['items', BatchCreateMemoryRequestSchema, Buffer.from('0a00'.repeat(many), 'hex')],
  [
    'entries of a map',
    CreateSpaceRequestSchema,
    times(300_000, bytesOf(CreateSpaceRequestSchema, { labels: { k: 'v' } })),
  ],
  [
    'members of an object',
    CreateMemoryRequestSchema,
    metadataField(times(300_000, member('k', field(3, Buffer.from('v'))))),
  ],
  [
    'values of a free-form list',
    CreateMemoryRequestSchema,
    metadataField(member('a', listValue(times(many, NULL_ITEM)))),
  ],
  [
    'packed enums',
    CreateEmbedderRequestSchema,
    new BinaryWriter().tag(10, WireType.LengthDelimited).bytes(new Uint8Array(many)).finish(),
  ],
  ['repetitions of one field', CreateSpaceRequestSchema, Buffer.from('0a00'.repeat(many), 'hex')],
  ['unknown fields', CreateSpaceRequestSchema, Buffer.from('f83f00'.repeat(many), 'hex')],
])('too many elements are refused before decoding: %s', (_name, desc, bytes) => {
  expect(refusal(desc, bytes)).toBe(TOO_MANY);
});

test('the largest batch, full of metadata, is not', () => {
  const metadata = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`k${index}`, 'v'] as const));
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

afterEach(() => void vi.restoreAllMocks());

/** How many fields are looked at before the message is accepted or refused. */
function fieldsRead(desc: DescMessage, bytes: Uint8Array): number {
  const tag = vi.spyOn(BinaryReader.prototype, 'tag');
  try {
    requireModest(desc, bytes);
  } catch {
    // Refused: what counts is how soon.
  }
  const { length } = tag.mock.calls;
  tag.mockRestore();
  return length;
}

/** `item` again and again, and the end of a group or of an item that reached out so far. */
const repeated = (item: string, times: number, end = '') => Buffer.from(item.repeat(times) + end, 'hex');

test.each<[string, DescMessage, Uint8Array]>([
  ['groups in messages', ServerReflectionRequestSchema, repeated('2a017b', 2000, '7c')],
  ['groups in unknown fields', ServerReflectionRequestSchema, repeated('7b0801', 2000, '7c')],
  ['groups in entries of a map', CreateMemoryRequestSchema, repeated('2a030a017b', 2000, '7c')],
  ['items that exceed their message', ServerReflectionRequestSchema, repeated('2a0110', 2000, '00')],
])('the bytes are scanned once, whatever they are: %s', (_name, desc, bytes) => {
  expect(fieldsRead(desc, bytes)).toBeLessThan(bytes.length);
});

test('no byte is scanned twice', () => {
  const byte = fc.constantFrom(0x0a, 0x12, 0x1a, 0x22, 0x2a, 0x7b, 0x7c, 0x01, 0x02, 0x03, 0x08, 0x80);
  fc.assert(
    fc.property(fc.array(byte, { maxLength: 400 }), (bytes) => {
      for (const desc of [ServerReflectionRequestSchema, CreateMemoryRequestSchema, BatchCreateMemoryRequestSchema]) {
        expect(fieldsRead(desc, Uint8Array.from(bytes))).toBeLessThanOrEqual(bytes.length);
      }
    }),
  );
});

/** A field that says of its content what protobuf-es does not go by. */
const hidden = (tag: string, items: Uint8Array) =>
  Buffer.concat([Buffer.from(tag, 'hex'), new BinaryWriter().bytes(items).finish()]);

test.each<[string, DescMessage, Uint8Array]>([
  ['a number with the wire type of bytes', CreateSpaceRequestSchema, hidden('4a', repeated('1200', 1000))],
  ['a message with the wire type of a number', CreateSpaceRequestSchema, repeated('110700000000000000', 1)],
  ['a string with the wire type of a number', CreateSpaceRequestSchema, repeated('0d04000000', 1)],
  ['a map with the wire type of a number', CreateSpaceRequestSchema, repeated('2801', 1)],
  ['an unknown member of an entry', CreateMemoryRequestSchema, repeated('2a040a021a00', 1)],
  ['a key with the wire type of a number', CreateMemoryRequestSchema, repeated('2a040a020802', 1)],
  ['an item that exceeds its message', CreateSpaceRequestSchema, repeated('12020a050a03414141', 1)],
  ['an item that exceeds its entry', CreateMemoryRequestSchema, repeated('2a060a04120508000a0141', 1)],
  ['a list whose last enum is cut off', CreateEmbedderRequestSchema, repeated('520180', 1)],
  ['a list whose last number is cut off', ChunkVectorSchema, repeated('120100', 1)],
  ['a group', CreateSpaceRequestSchema, repeated('fb3ffc3f', 1)],
])('bytes that the decoder would read differently are refused: %s', (_name, desc, bytes) => {
  expect(() => requireModest(desc, bytes)).toThrow();
});
