import { type DescField, type DescMessage, fromBinary, type MessageShape, ScalarType } from '@bufbuild/protobuf';
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
  new Counter(bytes).message(desc, bytes.length, 1);
}

type MapField = DescField & { fieldKind: 'map' };

/**
 * Reads the bytes once, forward. protobuf-es hardly checks the wire type of a field, and reads beyond the end of a
 * message where a value is longer than it. Bytes that it would read in another way than they are counted here are
 * refused.
 */
class Counter {
  readonly #bytes: Uint8Array;
  readonly #reader: BinaryReader;
  #fields = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#reader = new BinaryReader(bytes);
  }

  message(desc: DescMessage, end: number, depth: number): void {
    if (depth > MAX_DEPTH) {
      throw new ServiceError('INVALID_ARGUMENT', `The request is nested deeper than ${MAX_DEPTH} messages`);
    }
    const reader = this.#reader;
    while (reader.pos < end) {
      const [no, type] = reader.tag();
      this.#count(1);
      const field = desc.fields.find(({ number }) => number === no);
      if (field !== undefined) requireWireType(type, field);
      if (type !== WireType.LengthDelimited) this.#skip(type, end);
      else this.#delimited(field, this.#end(end), depth);
    }
  }

  #delimited(field: DescField | undefined, end: number, depth: number): void {
    if (field?.fieldKind === 'map') this.#entry(field, end, depth);
    else if (field?.message !== undefined) this.message(field.message, end, depth + 1);
    else if (field?.fieldKind === 'list') this.#list(wireTypeOf(field.scalar), end);
    this.#reader.pos = end;
  }

  #entry(field: MapField, end: number, depth: number): void {
    const reader = this.#reader;
    while (reader.pos < end) {
      const [no, type] = reader.tag();
      this.#count(1);
      const isValue = no === 2;
      const isMessage = isValue && field.message !== undefined;
      const expected = isMessage ? WireType.LengthDelimited : wireTypeOf(isValue ? field.scalar : field.mapKey);
      if ((no !== 1 && !isValue) || type !== expected) throw new Error('not an entry of the map');
      if (type !== WireType.LengthDelimited) this.#skip(type, end);
      else if (isMessage) this.message(field.message, this.#end(end), depth + 1);
      else reader.pos = this.#end(end);
    }
  }

  /** Numbers and enums stand one after the other: at most one value for each byte. */
  #list(type: WireType, end: number): void {
    if (type === WireType.LengthDelimited) return;
    const length = end - this.#reader.pos;
    this.#count(length);
    const goesOn = length > 0 && ((this.#bytes[end - 1] ?? 0) & 0x80) !== 0;
    const isCut = type === WireType.Varint ? goesOn : length % (type === WireType.Bit32 ? 4 : 8) !== 0;
    if (isCut) throw new RangeError('the last value of a list is cut off');
  }

  /** Groups, which no message here has, could hold any number of fields. */
  #skip(type: WireType, end: number): void {
    if (type === WireType.StartGroup) throw new Error('groups are not used');
    this.#reader.skip(type);
    if (this.#reader.pos > end) throw new RangeError(TOO_LONG);
  }

  /** The end of the field whose length comes next, in a message that ends at `outer`. */
  #end(outer: number): number {
    const length = this.#reader.uint32();
    const end = this.#reader.pos + length;
    if (end > outer) throw new RangeError(TOO_LONG);
    return end;
  }

  #count(fields: number): void {
    this.#fields += fields;
    if (this.#fields <= MAX_FIELDS) return;
    throw new ServiceError('PAYLOAD_TOO_LARGE', 'The message contains more values than the server accepts', {
      details: `at most ${MAX_FIELDS} fields, counting those of list items and map entries`,
    });
  }
}

const TOO_LONG = 'a field is longer than its message';

function requireWireType(type: WireType, field: DescField): void {
  const isDelimited = field.message !== undefined || field.fieldKind === 'map' || field.fieldKind === 'list';
  if (isDelimited && type === WireType.LengthDelimited) return;
  const isOne = field.message === undefined && field.fieldKind !== 'map';
  if (!isOne || type !== wireTypeOf(field.scalar)) throw new Error(`not a value of the field ${field.name}`);
}

/** Of one value; without a scalar type it is an enum. */
function wireTypeOf(scalar: ScalarType | undefined): WireType {
  return (scalar === undefined ? undefined : WIRE_TYPES[scalar]) ?? WireType.Varint;
}

const WIRE_TYPES: Partial<Record<ScalarType, WireType>> = {
  [ScalarType.STRING]: WireType.LengthDelimited,
  [ScalarType.BYTES]: WireType.LengthDelimited,
  [ScalarType.DOUBLE]: WireType.Bit64,
  [ScalarType.FIXED64]: WireType.Bit64,
  [ScalarType.SFIXED64]: WireType.Bit64,
  [ScalarType.FLOAT]: WireType.Bit32,
  [ScalarType.FIXED32]: WireType.Bit32,
  [ScalarType.SFIXED32]: WireType.Bit32,
};
