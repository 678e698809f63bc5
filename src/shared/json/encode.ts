import type { DescEnum, DescField, DescMessage, DescOneof, MessageShape } from '@bufbuild/protobuf';
import { ScalarType } from '@bufbuild/protobuf';
import type { Timestamp } from '@bufbuild/protobuf/wkt';
import { httpStatusOf } from '../error-details.ts';
import type { Status } from '../gen/google/rpc/status_pb.ts';
import { JsonForm } from '../gen/service/v1/options_pb.ts';
import { isoFromMs, timestampToMs } from '../time.ts';
import { enumNames } from './enum-names.ts';
import { base64Name, hasImplicitPresence, isLeftOutWhenEmpty, jsonForm, unwrappedField } from './options.ts';
import { plainJsonText } from './plain-json.ts';

type Write = (value: unknown) => string;
type Fields = Readonly<Record<string, unknown>>;
/** A member with its name, or "" when it is left out. */
type WriteMember = (message: Fields) => string;

const writers = new WeakMap<DescMessage, Write>();

/**
 * The JSON text of a message as REST shows it. The writer of a message type is compiled at first use and kept: this is the
 * hot path of streams.
 */
export function encodeJson<Desc extends DescMessage>(desc: Desc, message: MessageShape<Desc>): string {
  return messageWriter(desc)(message);
}

function messageWriter(desc: DescMessage): Write {
  const known = writers.get(desc);
  if (known !== undefined) return known;
  // Registered before it is compiled, so that a message that contains itself does not recurse here.
  let compiled: Write | undefined;
  const write: Write = (value) => {
    compiled ??= compileMessage(desc);
    return compiled(value);
  };
  writers.set(desc, write);
  return write;
}

function compileMessage(desc: DescMessage): Write {
  const inner = unwrappedField(desc);
  if (inner !== undefined) {
    const write = valueWriter(inner);
    return (value) => write((value as Fields)[inner.localName]);
  }
  const members = desc.members.map((member) => (member.kind === 'oneof' ? oneofWriter(member) : memberWriter(member)));
  return (value) => {
    let text = '';
    for (const member of members) {
      const part = member(value as Fields);
      if (part !== '') text += text === '' ? part : `,${part}`;
    }
    return `{${text}}`;
  };
}

function oneofWriter(oneof: DescOneof): WriteMember {
  const cases = new Map(oneof.fields.map((field) => [field.localName, namedWriter(field)]));
  return (message) => {
    const member = message[oneof.localName] as { case?: string; value?: unknown };
    return member.case === undefined ? '' : (cases.get(member.case)?.(member.value) ?? '');
  };
}

function memberWriter(field: DescField): WriteMember {
  const { localName } = field;
  const write = namedWriter(field);
  const whenUnset = jsonForm(field) === JsonForm.NULL_WHEN_UNSET ? `${nameOf(field.jsonName)}null` : '';
  // A list, a map or a scalar without presence has a value always; the 0 of such an enum says "not given".
  const leavesZeroOut = field.fieldKind === 'enum' && hasImplicitPresence(field);
  // What the reader refuses, for one, is not written: a record can be sent back as it came.
  const leavesEmptyOut = field.fieldKind === 'list' && isLeftOutWhenEmpty(field);
  return (message) => {
    const value = message[localName];
    if (leavesEmptyOut && (value as readonly unknown[]).length === 0) return whenUnset;
    if (value === undefined || value === null || (leavesZeroOut && value === 0)) return whenUnset;
    return write(value);
  };
}

function nameOf(name: string): string {
  return `${JSON.stringify(name)}:`;
}

function namedWriter(field: DescField): Write {
  const second = base64Name(field);
  if (second !== undefined) return textOrBase64Writer(nameOf(field.jsonName), nameOf(second));
  const prefix = nameOf(field.jsonName);
  const write = valueWriter(field);
  return (value) => prefix + write(value);
}

function textOrBase64Writer(textName: string, base64: string): Write {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  return (value) => {
    try {
      return textName + writeString(decoder.decode(value as Uint8Array));
    } catch {
      return base64 + writeBytes(value);
    }
  };
}

function valueWriter(field: DescField): Write {
  switch (field.fieldKind) {
    case 'list':
      return listWriter(itemWriter(field));
    case 'map':
      return mapWriter(itemWriter(field));
    default:
      return itemWriter(field);
  }
}

function itemWriter(field: DescField): Write {
  if (field.message !== undefined) return embeddedWriter(field.message, jsonForm(field));
  if (field.enum !== undefined) return enumWriter(field.enum);
  return scalarWriter(field.scalar);
}

function embeddedWriter(desc: DescMessage, form: JsonForm): Write {
  if (form === JsonForm.HTTP_STATUS) return writeHttpStatus;
  switch (desc.typeName) {
    case 'google.protobuf.Timestamp':
      return form === JsonForm.ISO_TIME ? writeIsoTime : writeEpochMs;
    case 'google.protobuf.Struct':
      return (value) => plainJsonText(value);
    default:
      return messageWriter(desc);
  }
}

function listWriter(item: Write): Write {
  return (value) => {
    let text = '';
    for (const entry of value as readonly unknown[]) text += text === '' ? item(entry) : `,${item(entry)}`;
    return `[${text}]`;
  };
}

function mapWriter(item: Write): Write {
  return (value) => {
    let text = '';
    for (const key of Object.keys(value as Fields)) {
      const entry = `${writeString(key)}:${item((value as Fields)[key])}`;
      text += text === '' ? entry : `,${entry}`;
    }
    return `{${text}}`;
  };
}

function enumWriter(desc: DescEnum): Write {
  const texts = new Map([...enumNames(desc).byNumber].map(([number, name]) => [number, JSON.stringify(name)]));
  return (value) => texts.get(value as number) ?? String(value);
}

function scalarWriter(scalar: ScalarType): Write {
  switch (scalar) {
    case ScalarType.STRING:
      return writeString;
    case ScalarType.BYTES:
      return writeBytes;
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return writeNumber;
    default:
      return String;
  }
}

/** A control character, quote, backslash or surrogate: what a JSON string may have to escape. */
const MAY_NEED_ESCAPES = /[^ !#-[\]-\ud7ff\ue000-\uffff]/;

/** Testing and quoting takes 0.6 of the time of JSON.stringify for an id, 0.4 for 500 characters of text. */
function writeString(value: unknown): string {
  const text = value as string;
  return MAY_NEED_ESCAPES.test(text) ? JSON.stringify(text) : `"${text}"`;
}

function writeBytes(value: unknown): string {
  const bytes = value as Uint8Array;
  return `"${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')}"`;
}

function writeNumber(value: unknown): string {
  return Number.isFinite(value) ? String(value) : 'null';
}

function writeEpochMs(value: unknown): string {
  return String(timestampToMs(value as Timestamp));
}

function writeIsoTime(value: unknown): string {
  return `"${isoFromMs(timestampToMs(value as Timestamp))}"`;
}

function writeHttpStatus(value: unknown): string {
  const status = value as Status;
  return `{"code":${httpStatusOf(status)},"message":${writeString(status.message)}}`;
}
