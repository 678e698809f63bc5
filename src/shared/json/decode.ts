import type { DescField, DescMessage, MessageShape } from '@bufbuild/protobuf';
import { create, getOption, ScalarType } from '@bufbuild/protobuf';
import type { ServiceError } from '../errors.ts';
import { JsonForm, rules } from '../gen/service/v1/options_pb.ts';
import { base64Name, hasImplicitPresence, immutableNames, jsonForm, unwrappedField } from './options.ts';
import { isObject } from './parse.ts';
import { memberPath, Problem, Problems, wrongType } from './problems.ts';
import { listReader, mapReader, plainObjectReader, type Read, readHttpStatus, readText, simple } from './readers.ts';
import type { TextOptions } from './scalars.ts';
import { enumReader, readEpochMs, readIsoTime, scalarReader } from './scalars.ts';

export interface DecodeOptions {
  /** JSON names of top-level fields that the body may not hold, because path or query give them. */
  omit?: readonly string[];
  /** Top-level lists whose items succeed or fail one by one. */
  apart?: ItemsApart;
}

interface ItemsApart {
  /** JSON names of the lists. */
  lists: readonly string[];
  /** Told of an item that is wrong, with paths below the item; what is right of it takes its place in the list. */
  refuse(index: number, error: ServiceError): void;
}

type Fields = Record<string, unknown>;

interface Member {
  readonly name: string;
  readonly field: DescField;
  readonly read: Read;
}
interface MessageReader {
  readonly desc: DescMessage;
  readonly members: ReadonlyMap<string, Member>;
  /** The one field that JSON shows in place of the message, if it is such a wrapper. */
  readonly inner: DescField | undefined;
  readonly immutable: ReadonlySet<string>;
  /** Fields that must be given although their 0 is a legal value, so that only JSON can tell. */
  readonly required: readonly DescField[];
}

const readers = new WeakMap<DescMessage, MessageReader>();

/**
 * The message of a parsed JSON value; `undefined` (no body) counts as `{}`. Throws INVALID_ARGUMENT with everything that is
 * wrong, as `path: problem`. Bounds and formats of fields are not judged here.
 */
export function decodeJson<Desc extends DescMessage>(
  desc: Desc,
  value: unknown,
  options: DecodeOptions = {},
): MessageShape<Desc> {
  const problems = new Problems();
  const message = readMessage(messageReader(desc), value === undefined ? {} : value, '', problems, options);
  problems.throwIfAny();
  return message as MessageShape<Desc>;
}

function messageReader(desc: DescMessage): MessageReader {
  const known = readers.get(desc);
  if (known !== undefined) return known;
  const members = new Map<string, Member>();
  const reader: MessageReader = {
    desc,
    members,
    inner: unwrappedField(desc),
    immutable: immutableNames(desc),
    required: desc.fields.filter(needsPresence),
  };
  // Registered before its members are, so that a message that contains itself ends.
  readers.set(desc, reader);
  for (const field of desc.fields) {
    const second = base64Name(field);
    const read = second === undefined ? valueReader(field) : simple(readText);
    members.set(field.jsonName, { name: field.jsonName, field, read });
    if (second !== undefined) members.set(second, { name: second, field, read: valueReader(field) });
  }
  return reader;
}

function needsPresence(field: DescField): boolean {
  const rule = getOption(field, rules);
  const isNumber = field.fieldKind === 'scalar' && !NOT_NUMBERS.has(field.scalar);
  return rule.required && isNumber && hasImplicitPresence(field) && (rule.min ?? 0) <= 0 && !rule.positive;
}

const NOT_NUMBERS: ReadonlySet<ScalarType> = new Set([ScalarType.STRING, ScalarType.BYTES, ScalarType.BOOL]);

function readMessage(
  reader: MessageReader,
  value: unknown,
  path: string,
  problems: Problems,
  { omit = [], apart }: DecodeOptions = {},
): unknown {
  if (reader.inner !== undefined) return readWrapped(reader, reader.inner, value, path, problems);
  if (!isObject(value)) {
    problems.add(path === '' ? 'body' : path, wrongType('must be an object'));
    return undefined;
  }
  const message = create(reader.desc) as unknown as Fields;
  const given = new Map<string, string>();
  for (const name of Object.keys(value)) {
    const member = omit.includes(name) ? undefined : reader.members.get(name);
    if (member !== undefined) {
      const chosen = apart?.lists.includes(name) === true ? { ...member, read: apartReader(member, apart) } : member;
      readMember(chosen, value[name], path, { members: reader.members, message, given, problems });
    } else refuseName(reader, name, value[name], path, problems);
  }
  for (const field of reader.required) {
    if (!given.has(field.localName)) problems.add(memberPath(path, field.jsonName), new Problem('is required'));
  }
  return message;
}

interface Target {
  /** All members of the message, in the order of their declaration. */
  readonly members: ReadonlyMap<string, Member>;
  readonly message: Fields;
  /** By field or oneof: the JSON name that gave it. */
  readonly given: Map<string, string>;
  readonly problems: Problems;
}

function readMember(member: Member, value: unknown, path: string, target: Target): void {
  if (value === null) return;
  const { field, name } = member;
  const slot = field.oneof?.localName ?? field.localName;
  const other = target.given.get(slot);
  target.given.set(slot, name);
  if (other !== undefined) {
    const names = [...target.members.keys()].filter((known) => known === name || known === other);
    target.problems.add(memberPath(path, names[0] ?? name), new Problem(`give either ${names.join(' or ')}`));
    return;
  }
  const read = member.read(value, memberPath(path, name), target.problems);
  if (read === undefined) return;
  target.message[slot] = field.oneof === undefined ? read : { case: field.localName, value: read };
}

function refuseName(reader: MessageReader, name: string, value: unknown, path: string, problems: Problems): void {
  if (!reader.immutable.has(name)) problems.add(memberPath(path, name), wrongType('unknown field'));
  else if (value !== null) problems.add(memberPath(path, name), new Problem('immutable'));
}

function readWrapped(reader: MessageReader, inner: DescField, value: unknown, path: string, problems: Problems) {
  const read = reader.members.get(inner.jsonName)?.read(value, path, problems);
  if (read === undefined) return undefined;
  const message = create(reader.desc) as unknown as Fields;
  message[inner.localName] = read;
  return message;
}

function valueReader(field: DescField): Read {
  switch (field.fieldKind) {
    case 'list':
      return listReader(itemReader(field), getOption(field, rules).refuseEmpty);
    case 'map':
      return mapReader(itemReader(field), getOption(field, rules));
    default:
      return itemReader(field);
  }
}

function itemReader(field: DescField): Read {
  const { allowNul } = getOption(field, rules);
  if (field.message !== undefined) return embeddedReader(field.message, jsonForm(field), { allowNul });
  return simple(field.enum === undefined ? scalarReader(field.scalar, { allowNul }) : enumReader(field.enum));
}

function embeddedReader(desc: DescMessage, form: JsonForm, options: TextOptions): Read {
  if (form === JsonForm.HTTP_STATUS) return simple(readHttpStatus);
  switch (desc.typeName) {
    case 'google.protobuf.Timestamp':
      return simple(form === JsonForm.ISO_TIME ? readIsoTime : readEpochMs);
    case 'google.protobuf.Struct':
      return plainObjectReader(options);
    default: {
      const reader = messageReader(desc);
      return (value, path, problems) => readMessage(reader, value, path, problems);
    }
  }
}

/** As {@link listReader}, but an item that is wrong is wrong alone. */
function apartReader({ field, name }: Member, { refuse }: ItemsApart): Read {
  const item = itemReader(field);
  const nothing = () => (field.message === undefined ? '' : create(field.message));
  // An item that is no object has no members to name.
  const own = name.replace(/s$/, '');
  const read = (entry: unknown, index: number) => {
    const problems = new Problems();
    const result = item(entry, field.message !== undefined && isObject(entry) ? '' : own, problems);
    const error = problems.error();
    if (error !== undefined) refuse(index, error);
    return result ?? nothing();
  };
  return (value, path, problems) => {
    if (Array.isArray(value)) return value.map(read);
    problems.add(path, wrongType('must be an array'));
    return undefined;
  };
}
