import type { DescField, DescMessage, MessageShape } from '@bufbuild/protobuf';
import { create, getOption, ScalarType } from '@bufbuild/protobuf';
import type { Violation } from '../errors.ts';
import { invalidFields } from '../errors.ts';
import { rules } from '../gen/service/v1/options_pb.ts';
import { Problem, wrongType } from './problems.ts';
import type { ReadValue } from './scalars.ts';
import { enumReader, readEpochMs, readString, scalarReader } from './scalars.ts';

interface QueryOptions<Desc extends DescMessage> {
  /** Set the fields on this message (of a body, say) instead of on a new one. */
  into?: MessageShape<Desc>;
  /** JSON names of the fields that the parameters may set; all of them when left out. */
  fields?: readonly string[];
  /** Further names and the JSON name of the field each stands for. They follow camelCase, in this order, and beat snake_case. */
  aliases?: Readonly<Record<string, string>>;
}

/** The parameters of a raw query string (without `?`); throws INVALID_ARGUMENT when its percent-encoding is malformed. */
export function parseQuery(query: string): URLSearchParams {
  if (query === '') return new URLSearchParams();
  const violations: Violation[] = [];
  for (const pair of query.split('&')) {
    try {
      decodeURIComponent(pair);
    } catch {
      violations.push({ path: pair.split(/[=%]/, 1)[0] || 'query', problem: 'malformed percent-encoding' });
    }
  }
  if (violations.length > 0) throw invalidFields(violations);
  return new URLSearchParams(query);
}

/**
 * Sets top-level fields from query parameters, by camelCase and snake_case name (camelCase wins); other parameters are
 * ignored. Throws INVALID_ARGUMENT with every value that does not fit its field.
 */
export function decodeQuery<Desc extends DescMessage>(
  desc: Desc,
  params: URLSearchParams,
  options: QueryOptions<Desc> = {},
): MessageShape<Desc> {
  const message = options.into ?? (create(desc) as MessageShape<Desc>);
  const violations: Violation[] = [];
  for (const field of desc.fields) {
    if (options.fields !== undefined && !options.fields.includes(field.jsonName)) continue;
    const found =
      field.fieldKind === 'map' ? mapFrom(field, params) : valuesOf(params, namesOf(field, options.aliases));
    if (found === undefined) continue;
    const value = readField(field, found.values, (problem, path) => {
      violations.push(problem.at(path ?? found.name));
    });
    if (value !== undefined) setField(message as unknown as Record<string, unknown>, field, value);
  }
  if (violations.length > 0) throw invalidFields(violations);
  return message;
}

/** As {@link decodeQuery}, for the decoded parameters of a path. */
export function decodePath<Desc extends DescMessage>(
  desc: Desc,
  params: Readonly<Record<string, string>>,
  options: QueryOptions<Desc> = {},
): MessageShape<Desc> {
  return decodeQuery(desc, new URLSearchParams(params), options);
}

/** The values of the first of the names that the parameters hold, with that name; `undefined` when they hold none. */
export function valuesOf(
  params: URLSearchParams,
  names: readonly string[],
): { name: string; values: readonly string[] } | undefined {
  const name = names.find((candidate) => params.has(candidate));
  return name === undefined ? undefined : { name, values: params.getAll(name) };
}

/** Reads a query value as a boolean: `true`, `false`, `1` or `0`. */
export function readQueryBoolean(value: unknown): boolean | Problem {
  if (value === 'true' || value === '1') return true;
  if (value === 'false' || value === '0') return false;
  return wrongType('must be true or false');
}

function namesOf(field: DescField, aliases: Readonly<Record<string, string>> = {}): string[] {
  const others = Object.keys(aliases).filter((alias) => aliases[alias] === field.jsonName);
  return [field.jsonName, ...others, field.name];
}

type Report = (problem: Problem, path?: string) => void;
interface Found {
  name: string;
  values: readonly string[] | ReadonlyMap<string, string>;
}

/** The entries `label.<key>=v` and `label[<key>]=v` of a map field named `label`. */
function mapFrom(field: DescField, params: URLSearchParams): Found | undefined {
  const values = new Map<string, string>();
  for (const name of [field.name, field.jsonName]) {
    for (const [parameter, value] of params) {
      if (parameter.startsWith(`${name}.`)) values.set(parameter.slice(name.length + 1), value);
      else if (parameter.startsWith(`${name}[`) && parameter.endsWith(']')) {
        values.set(parameter.slice(name.length + 1, -1), value);
      }
    }
  }
  return values.size === 0 ? undefined : { name: field.jsonName, values };
}

function readField(field: DescField, values: Found['values'], report: Report): unknown {
  if (field.fieldKind === 'message' && field.message.typeName !== 'google.protobuf.Timestamp') return undefined;
  const read = readers.get(field) ?? itemReader(field);
  readers.set(field, read);
  if (!Array.isArray(values)) return readMap(field, values as ReadonlyMap<string, string>, read, report);
  const texts = values as readonly string[];
  if (field.fieldKind === 'list') {
    const items = texts.flatMap((text) => text.split(',')).filter((item) => item !== '');
    return items.map((item) => checked(read(item), report));
  }
  // Of a repeated parameter the last one counts.
  return checked(read(texts.at(-1)), report);
}

function readMap(field: DescField, values: ReadonlyMap<string, string>, read: ReadValue, report: Report): unknown {
  return Object.fromEntries(
    [...values].map(([key, value]) => {
      const path = `${field.jsonName}.${key}`;
      checked(readString(key, getOption(field, rules)), (problem) => report(problem, field.jsonName));
      return [key, checked(read(value), (problem) => report(problem, path))];
    }),
  );
}

function checked(value: unknown, report: Report): unknown {
  if (!(value instanceof Problem)) return value;
  report(value);
  return undefined;
}

/** Kept, for each look at the rules of a field decodes them. */
const readers = new WeakMap<DescField, ReadValue>();

function itemReader(field: DescField): ReadValue {
  if (field.enum !== undefined) return enumReader(field.enum);
  if (field.message !== undefined) return readEpochMs;
  if (field.scalar === ScalarType.BOOL) return readQueryBoolean;
  const { clamp, allowNul } = getOption(field, rules);
  const read = scalarReader(field.scalar, { allowNul });
  return clamp ? (value) => read(withinInt32(value)) : read;
}

/** A number that is clamped to its range has no end of its type to break: the rules move it further. */
function withinInt32(value: unknown): unknown {
  if (typeof value !== 'string' || !/^[+-]?\d+$/.test(value)) return value;
  return String(Math.max(-(2 ** 31), Math.min(2 ** 31 - 1, Number(value))));
}

function setField(message: Record<string, unknown>, field: DescField, value: unknown): void {
  if (field.oneof === undefined) message[field.localName] = value;
  else message[field.oneof.localName] = { case: field.localName, value };
}
