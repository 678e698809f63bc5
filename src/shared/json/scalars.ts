import type { DescEnum } from '@bufbuild/protobuf';
import { ScalarType } from '@bufbuild/protobuf';
import { MAX_EPOCH_MS, MIN_EPOCH_MS, msFromIso, timestampFromMs } from '../time.ts';
import { decodeBase64 } from './base64.ts';
import { enumNames } from './enum-names.ts';
import { Problem, wrongType } from './problems.ts';

/** Turns a JSON value into the value of a field, or says what is wrong with it. */
export type ReadValue = (value: unknown) => unknown;

const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const INTEGER = /^[+-]?\d+$/;
const LONE_SURROGATE = /\p{Surrogate}/u;
const MAX_FLOAT = 3.4028234663852886e38;
const INT64 = { min: -(2n ** 63n), max: 2n ** 63n - 1n };
const UINT64 = { min: 0n, max: 2n ** 64n - 1n };

/** Whether a text may hold NUL characters, being one that is not stored. */
export interface TextOptions {
  allowNul?: boolean;
}

/** What forbids a text; `undefined` when nothing does. */
export function textProblem(text: string, { allowNul = false }: TextOptions = {}): string | undefined {
  if (!allowNul && text.includes('\0')) return 'must not contain NUL characters';
  return LONE_SURROGATE.test(text) ? 'must be valid Unicode text' : undefined;
}

export function scalarReader(scalar: ScalarType, options?: TextOptions): ReadValue {
  switch (scalar) {
    case ScalarType.STRING:
      return (value) => readString(value, options);
    case ScalarType.BOOL:
      return readBoolean;
    case ScalarType.BYTES:
      return readBytes;
    case ScalarType.DOUBLE:
      return readDouble;
    case ScalarType.FLOAT:
      return readFloat;
    case ScalarType.INT64:
    case ScalarType.SINT64:
    case ScalarType.SFIXED64:
      return (value) => readBigInteger(value, INT64);
    case ScalarType.UINT64:
    case ScalarType.FIXED64:
      return (value) => readBigInteger(value, UINT64);
    case ScalarType.UINT32:
    case ScalarType.FIXED32:
      return (value) => readInteger(value, 0, 2 ** 32 - 1);
    default:
      return (value) => readInteger(value, -(2 ** 31), 2 ** 31 - 1);
  }
}

export function enumReader(desc: DescEnum): ReadValue {
  const { byName, problem } = enumNames(desc);
  return (value) => {
    if (typeof value !== 'string') return wrongType(problem);
    return byName.get(value) ?? new Problem(problem);
  };
}

export function readString(value: unknown, options?: TextOptions): string | Problem {
  if (typeof value !== 'string') return wrongType('must be a string');
  const problem = textProblem(value, options);
  return problem === undefined ? value : new Problem(problem);
}

function readBoolean(value: unknown): boolean | Problem {
  if (value === true || value === 'true') return true;
  if (value === false || value === 'false') return false;
  return wrongType('must be true or false');
}

function readBytes(value: unknown): Uint8Array | Problem {
  if (typeof value !== 'string') return wrongType('must be a base64 string');
  return decodeBase64(value) ?? new Problem('not base64');
}

/** The number that a JSON value stands for; other values as they are. */
function numberOf(value: unknown): unknown {
  return typeof value === 'bigint' || (typeof value === 'string' && DECIMAL.test(value)) ? Number(value) : value;
}

function readDouble(value: unknown): number | Problem {
  const number = numberOf(value);
  if (typeof number !== 'number') return wrongType('must be a number');
  // JSON.parse reads 1e999 as Infinity.
  return Number.isFinite(number) ? number : new Problem('must be a finite number');
}

function readFloat(value: unknown): number | Problem {
  const number = readDouble(value);
  return typeof number === 'number' && Math.abs(number) > MAX_FLOAT ? new Problem('must be a finite number') : number;
}

function readInteger(value: unknown, min: number, max: number): number | Problem {
  const number = numberOf(value);
  if (typeof number !== 'number') return wrongType('must be an integer');
  if (!Number.isInteger(number)) return new Problem('must be an integer');
  // `+ 0` turns -0 into 0.
  return number < min || number > max ? new Problem(`must be between ${min} and ${max}`) : number + 0;
}

function readBigInteger(value: unknown, bounds: { min: bigint; max: bigint }): bigint | Problem {
  let integer: bigint;
  if (typeof value === 'bigint') {
    integer = value;
  } else if (typeof value === 'string' && INTEGER.test(value) && value.length <= 40) {
    integer = BigInt(value.startsWith('+') ? value.slice(1) : value);
  } else {
    const number = numberOf(value);
    if (typeof number !== 'number') return wrongType('must be an integer');
    if (!Number.isInteger(number)) return new Problem('must be an integer');
    // Written with an exponent: which of the integers that it may stand for is meant cannot be told.
    if (Math.abs(number) > 2 ** 53)
      return new Problem('is beyond 2^53 and must be written as an integer with all its digits');
    integer = BigInt(number);
  }
  if (integer >= bounds.min && integer <= bounds.max) return integer;
  return new Problem(`must be between ${bounds.min} and ${bounds.max}`);
}

export function readEpochMs(value: unknown): unknown {
  const number = numberOf(value);
  if (typeof number !== 'number') return wrongType('must be a time in epoch milliseconds');
  if (Number.isInteger(number) && number >= MIN_EPOCH_MS && number <= MAX_EPOCH_MS) return timestampFromMs(number);
  return new Problem(`must be whole epoch milliseconds between ${MIN_EPOCH_MS} and ${MAX_EPOCH_MS}`);
}

export function readIsoTime(value: unknown): unknown {
  if (typeof value !== 'string') return wrongType('must be an ISO 8601 time');
  const ms = msFromIso(value);
  return ms === undefined ? new Problem('not an ISO 8601 time') : timestampFromMs(ms);
}
