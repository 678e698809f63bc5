import type { DescEnum, DescField, DescMessage } from '@bufbuild/protobuf';
import { CreateApiKeyResponseSchema } from '../../shared/gen/service/v1/api_key_pb.ts';
import { CreateLLMResponseSchema, LLMSchema } from '../../shared/gen/service/v1/llm_pb.ts';
import { MemorySchema } from '../../shared/gen/service/v1/memory_pb.ts';
import { OcrDocumentResponseSchema, OcrPageSchema } from '../../shared/gen/service/v1/ocr_pb.ts';
import { JsonForm } from '../../shared/gen/service/v1/options_pb.ts';
import { PingResultSchema, PingSummarySchema } from '../../shared/gen/service/v1/ping_pb.ts';
import { SpaceSchema } from '../../shared/gen/service/v1/space_pb.ts';
import { enumNames } from '../../shared/json/enum-names.ts';
import {
  base64Name,
  hasImplicitPresence,
  immutableNames,
  isLeftOutWhenEmpty,
  jsonForm,
  unwrappedField,
} from '../../shared/json/options.ts';
import { enumProse, enumValueProse, fieldProse, messageProse } from './prose.ts';
import { type Direction, present, refTo, type Schema } from './schema.ts';
import { type ComponentSchemas, fieldSchema, rulesOf, unsaidRules } from './value-schema.ts';

interface Use {
  input: DescMessage;
  output: DescMessage;
}

/** Collects the schemas of the messages and enums that the document refers to. */
export class Components implements ComponentSchemas {
  readonly schemas: Record<string, Schema> = {};
  readonly #answered: ReadonlySet<DescMessage>;
  readonly #bodies: ReadonlySet<DescMessage>;

  /** `uses` are the messages of every operation: what goes both ways has two schemas. */
  constructor(uses: readonly Use[]) {
    this.#answered = reachable(uses.map(({ output }) => output));
    this.#bodies = new Set(uses.map(({ input }) => input));
  }

  message(desc: DescMessage, direction: Direction): Schema {
    const name = this.#nameOf(desc, direction);
    return this.#once(name, () => this.#describe(desc, direction, []));
  }

  /** The body of a request: a message without the fields that path and query give. */
  body(desc: DescMessage, omit: readonly string[]): Schema {
    return this.#once(nameOf(desc), () => {
      const immutable = [...immutableNames(desc)].map((name) => `\`${name}\``).join(', ');
      const schema = this.#describe(desc, 'request', omit);
      if (immutable === '') return schema;
      return { ...schema, description: sentences([messageProse(desc), `Immutable, and refused: ${immutable}.`]) };
    });
  }

  /** The same, for the describing part of an upload: the file stands in another part. */
  uploadPart(desc: DescMessage, omit: readonly string[]): Schema {
    const content = desc.fields.filter((field) => base64Name(field) !== undefined).map((field) => field.jsonName);
    return this.#once(`${nameOf(desc)}Upload`, () => this.#describe(desc, 'request', [...omit, ...content]));
  }

  enumeration(desc: DescEnum): Schema {
    return this.#once(nameOf(desc), () => {
      const { byNumber } = enumNames(desc);
      // A zero value with a meaning other than "not given" has a comment.
      const values = desc.values.filter((value) => value.number !== 0 || enumValueProse(value) !== '');
      const listed = values
        .filter((value) => enumValueProse(value) !== '')
        .map((value) => `\n- \`${byNumber.get(value.number)}\`: ${enumValueProse(value)}`);
      return present({
        type: 'string',
        enum: values.map(({ number }) => byNumber.get(number) ?? ''),
        description: `${enumProse(desc)}${listed.length > 0 ? '\n' : ''}${listed.join('')}`.trim() || undefined,
      });
    });
  }

  itemError(): Schema {
    return this.#once('ItemError', () => ({
      type: 'object',
      description: 'Why one item of a batch failed.',
      required: ['code', 'message'],
      properties: { code: { type: 'integer', description: 'The HTTP status.' }, message: { type: 'string' } },
    }));
  }

  /** Adds a schema that no message has. */
  add(name: string, schema: Schema): Schema {
    return this.#once(name, () => schema);
  }

  #once(name: string, describe: () => Schema): Schema {
    if (!(name in this.schemas)) {
      // Registered before it is described, so that a message that contains itself does not recurse forever.
      this.schemas[name] = {};
      this.schemas[name] = describe();
    }
    return refTo('schemas', name);
  }

  #nameOf(desc: DescMessage, direction: Direction): string {
    if (direction === 'response') return nameOf(desc);
    // The body of an operation has the message's own name and lacks the path fields; nested, the message has all fields.
    if (this.#bodies.has(desc)) return `${nameOf(desc)}Item`;
    return this.#answered.has(desc) ? `${nameOf(desc)}Input` : nameOf(desc);
  }

  #describe(desc: DescMessage, direction: Direction, omit: readonly string[]): Schema {
    const fields = desc.fields.filter(({ jsonName }) => !omit.includes(jsonName));
    const isRequired = direction === 'response' ? isAlwaysWritten : mustBeGiven;
    const required = fields.filter(isRequired).map(({ jsonName }) => jsonName);
    return present({
      type: 'object',
      description: messageProse(desc) || undefined,
      required: required.length > 0 ? required : undefined,
      properties: Object.fromEntries(fields.flatMap((field) => this.#members(field, direction))),
      additionalProperties: direction === 'response' ? undefined : false,
      ...choices(desc, fields, direction),
    });
  }

  #members(field: DescField, direction: Direction): [string, Schema][] {
    const schema = fieldSchema(field, direction, this);
    const description = sentences([fieldProse(field), ...unsaidRules(field)]);
    const described = description === '' ? schema : { ...schema, description };
    const second = base64Name(field);
    if (second === undefined) return [[field.jsonName, described]];
    return [
      [field.jsonName, { type: 'string', description: 'Text, stored as UTF-8 bytes.' }],
      [second, { ...schema, description }],
    ];
  }
}

export function sentences(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(' ');
}

function nameOf(desc: DescMessage | DescEnum): string {
  return desc.typeName.replace(/^.*\bv1\./, '').replaceAll('.', '');
}

/** Which members exclude each other. */
function choices(desc: DescMessage, fields: readonly DescField[], direction: Direction): Schema {
  if (desc.oneofs.length === 1 && fields.every((field) => field.oneof !== undefined) && fields.length > 0) {
    return { minProperties: 1, maxProperties: 1 };
  }
  if (direction === 'response') return {};
  const alternatives = desc.oneofs.map((oneof) => oneof.fields.map(({ jsonName }) => jsonName));
  for (const field of fields) {
    const second = base64Name(field);
    if (second !== undefined) alternatives.push([field.jsonName, second]);
  }
  const excluded = alternatives.flatMap((names) =>
    names.flatMap((name, at) => names.slice(at + 1).map((other) => ({ not: { required: [name, other] } }))),
  );
  return excluded.length > 0 ? { allOf: excluded } : {};
}

/** Default values are written, and only what has presence can be left out. */
function isAlwaysWritten(field: DescField): boolean {
  if (jsonForm(field) === JsonForm.NULL_WHEN_UNSET) return true;
  if (field.oneof !== undefined) return false;
  switch (field.fieldKind) {
    case 'list':
      return !isLeftOutWhenEmpty(field);
    case 'map':
      return true;
    case 'message':
      return isNeverLeftOut(field);
    default:
      // The codec leaves the zero of an enum out, but no record holds one.
      return hasImplicitPresence(field);
  }
}

function mustBeGiven(field: DescField): boolean {
  const rule = rulesOf(field);
  return rule.required || (field.fieldKind === 'list' && (rule.minItems ?? 0) > 0);
}

/** Every message inside the given ones, themselves included, as far as JSON shows them. */
function reachable(roots: readonly DescMessage[]): ReadonlySet<DescMessage> {
  const found = new Set<DescMessage>();
  const queue = [...roots];
  for (let desc = queue.pop(); desc !== undefined; desc = queue.pop()) {
    if (found.has(desc)) continue;
    found.add(desc);
    const fields = [unwrappedField(desc) ?? desc.fields].flat();
    queue.push(...fields.map((field) => field.message).filter((message) => message !== undefined));
  }
  return found;
}

/** Members that are messages and are never left out of a response, which their descriptors cannot say. */
const NEVER_LEFT_OUT: ReadonlySet<DescField> = new Set<DescField>([
  CreateApiKeyResponseSchema.field.apiKeyMetadata,
  CreateLLMResponseSchema.field.llm,
  LLMSchema.field.capabilities,
  MemorySchema.field.metadata,
  OcrDocumentResponseSchema.field.timings,
  OcrPageSchema.field.timings,
  PingResultSchema.field.endpoint,
  PingResultSchema.field.timing,
  PingSummarySchema.field.endpoint,
  SpaceSchema.field.defaultChunkingConfig,
]);

/** Whether a response always holds this member although it is a message. */
function isNeverLeftOut(field: DescField): boolean {
  return NEVER_LEFT_OUT.has(field) || isAuditTime(field);
}

/** Whether a field is the time of creation or of the last change, which every stored resource has. */
function isAuditTime({ name, parent }: DescField): boolean {
  return name === 'created_at' || (name === 'updated_at' && parent.fields.some((other) => other.name === 'created_at'));
}
