import { type DescMessage, fromBinary, type MessageShape, ScalarType } from '@bufbuild/protobuf';
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { ServiceError } from './errors.ts';

/** Free-form JSON nests up to 100 deep, and each of its levels is two messages. */
const MAX_DEPTH = 256;
/** A batch of 1000 items that each use every field and have 50 members of metadata stays far below. */
const MAX_FIELDS = 500_000;

/** The message that bytes hold; fields that it does not know are dropped. Throws what protobuf-es throws. */
export function readMessage<Desc extends DescMessage>(desc: Desc, bytes: Uint8Array): MessageShape<Desc> {
  return fromBinary(desc, bytes, { recursionLimit: MAX_DEPTH, readUnknownFields: false });
}

/**
 * Counts what a message would become, before memory is spent on it: an empty item is two bytes in a list and a hundred
 * read. Throws PAYLOAD_TOO_LARGE for too many fields, INVALID_ARGUMENT for too deep nesting, and what protobuf-es throws
 * for bytes that are no message.
 */
export function requireModest(desc: DescMessage, bytes: Uint8Array): void {
  const reader = new BinaryReader(bytes);
  new Counter(reader).message(desc, reader.len, 1);
}

class Counter {
  readonly #reader: BinaryReader;
  #fields = 0;

  constructor(reader: BinaryReader) {
    this.#reader = reader;
  }

  message(desc: DescMessage | undefined, end: number, depth: number): void {
    if (depth > MAX_DEPTH) {
      throw new ServiceError('INVALID_ARGUMENT', `The request is nested deeper than ${MAX_DEPTH} messages`);
    }
    const reader = this.#reader;
    while (reader.pos < end) {
      const [no, type] = reader.tag();
      this.#count(1);
      if (type !== WireType.LengthDelimited) reader.skip(type, no, MAX_DEPTH - depth);
      else this.#delimited(desc, no, depth);
    }
  }

  #delimited(desc: DescMessage | undefined, no: number, depth: number): void {
    const reader = this.#reader;
    const length = reader.uint32();
    const end = reader.pos + length;
    if (end > reader.len) throw new RangeError('a field is longer than its message');
    const field = desc?.fields.find(({ number }) => number === no);
    if (field?.fieldKind === 'map') this.#entry(field.message, end, depth);
    else if (field?.message !== undefined) this.message(field.message, end, depth + 1);
    else if (field?.fieldKind === 'list' && !isDelimited(field.scalar)) this.#count(length);
    reader.pos = end;
  }

  #entry(value: DescMessage | undefined, end: number, depth: number): void {
    const reader = this.#reader;
    while (reader.pos < end) {
      const [no, type] = reader.tag();
      this.#count(1);
      if (no !== 2 || value === undefined || type !== WireType.LengthDelimited) reader.skip(type, no);
      else this.message(value, reader.uint32() + reader.pos, depth + 1);
    }
  }

  #count(fields: number): void {
    this.#fields += fields;
    if (this.#fields <= MAX_FIELDS) return;
    throw new ServiceError('PAYLOAD_TOO_LARGE', 'The message contains more values than the server accepts', {
      details: `at most ${MAX_FIELDS}fields, counting those of list items and map entries`,
    });
  }
}

/** Other scalars, and enums, stand in lists one after the other: at most one value for each byte. */
function isDelimited(scalar: ScalarType | undefined): boolean {
  return scalar === ScalarType.STRING || scalar === ScalarType.BYTES;
}
