import { type DescEnum, type DescField, type DescMessage, getOption, ScalarType } from '@bufbuild/protobuf';
import { Format, JsonForm, type Rules, rules } from '../../shared/gen/service/v1/options_pb.ts';
import { PostProcessorSchema } from '../../shared/gen/service/v1/retrieve_pb.ts';
import { jsonForm, unwrappedField } from '../../shared/json/options.ts';
import { CHAT_SETTING_ENTRIES, type ChatSetting, settingProse } from '../../shared/operations/chat-settings.ts';
import { MAX_EPOCH_MS, MIN_EPOCH_MS } from '../../shared/time.ts';
import { type Direction, type Part, present, type Schema } from './schema.ts';

/** Where messages and enums of the document are described. */
export interface ComponentSchemas {
  message(desc: DescMessage, direction: Direction): Schema;
  enumeration(desc: DescEnum): Schema;
  itemError(): Schema;
}

/** The schema of a field's JSON value, with the bounds and formats that its rules give it. */
export function fieldSchema(field: DescField, direction: Direction, named: ComponentSchemas): Schema {
  const schema = shape(field, rulesOf(field), direction, named);
  if (jsonForm(field) !== JsonForm.NULL_WHEN_UNSET) return schema;
  return { ...schema, type: [schema.type as string, 'null'] };
}

function shape(field: DescField, rule: Rules, direction: Direction, named: ComponentSchemas): Schema {
  switch (field.fieldKind) {
    case 'list': {
      const items = itemSchema(field, rule, direction, named);
      return present({ type: 'array', items, minItems: rule.refuseEmpty ? 1 : rule.minItems, maxItems: rule.maxItems });
    }
    case 'map':
      return mapSchema(field, rule, direction, named);
    default:
      return itemSchema(field, rule, direction, named);
  }
}

function mapSchema(field: DescField, rule: Rules, direction: Direction, named: ComponentSchemas): Schema {
  const sizes = { minProperties: rule.minItems, maxProperties: rule.maxItems };
  if (rule.format !== Format.LABELS) {
    const additionalProperties = itemSchema(field, rule, direction, named);
    return present({ type: 'object', ...sizes, additionalProperties });
  }
  return present({
    type: 'object',
    ...sizes,
    propertyNames: { minLength: 1, maxLength: 255 },
    additionalProperties: { type: 'string', maxLength: 255 },
  });
}

function itemSchema(field: DescField, rule: Rules, direction: Direction, named: ComponentSchemas): Schema {
  if (field.message !== undefined) return embeddedSchema(field, field.message, rule, direction, named);
  if (field.enum !== undefined) return named.enumeration(field.enum);
  switch (field.scalar) {
    case ScalarType.STRING:
      return textSchema(rule);
    case ScalarType.BYTES:
      return { type: 'string', contentEncoding: 'base64' };
    case ScalarType.BOOL:
      return { type: 'boolean' };
    default:
      return numberSchema(field.scalar, rule, direction);
  }
}

function embeddedSchema(
  field: DescField,
  desc: DescMessage,
  rule: Rules,
  direction: Direction,
  named: ComponentSchemas,
): Schema {
  const form = jsonForm(field);
  if (form === JsonForm.HTTP_STATUS) return named.itemError();
  if (desc.typeName === 'google.protobuf.Timestamp') {
    return form === JsonForm.ISO_TIME ? { type: 'string', format: 'date-time' } : timeSchema(direction);
  }
  if (field === PostProcessorSchema.field.config) return CHAT_CONFIG_SCHEMA;
  if (desc.typeName === 'google.protobuf.Struct') {
    return present({ type: 'object', maxProperties: rule.maxItems, additionalProperties: true });
  }
  const inner = unwrappedField(desc);
  return inner === undefined ? named.message(desc, direction) : shape(inner, rule, direction, named);
}

function timeSchema(direction: Direction): Schema {
  const bounds = direction === 'response' ? {} : { minimum: MIN_EPOCH_MS, maximum: MAX_EPOCH_MS };
  return { ...written('integer', direction), format: 'int64', ...bounds };
}

const FORMATS: Partial<Record<Format, Schema>> = {
  [Format.UUID]: { format: 'uuid' },
  [Format.EMAIL]: { format: 'email' },
  [Format.URL]: { format: 'uri' },
  [Format.USERNAME]: { pattern: '^[A-Za-z0-9._-]+$' },
  [Format.MEDIA_TYPE]: { pattern: '^[^/;\\s]+/[^/;\\s]+([ \\t]*;.*)?$' },
};

function textSchema(rule: Rules): Schema {
  return present({ type: 'string', ...FORMATS[rule.format], minLength: rule.minLen, maxLength: rule.maxLen });
}

const NUMBER_FORMATS: Partial<Record<ScalarType, string>> = {
  [ScalarType.DOUBLE]: 'double',
  [ScalarType.FLOAT]: 'float',
  [ScalarType.INT64]: 'int64',
};

function numberSchema(scalar: ScalarType, rule: Rules, direction: Direction): Schema {
  const format = NUMBER_FORMATS[scalar] ?? 'int32';
  const type = format === 'double' || format === 'float' ? 'number' : 'integer';
  // What is clamped may lie outside: the description tells the bounds.
  const bounds = rule.clamp ? {} : { minimum: rule.min, maximum: rule.max };
  return present({ ...written(type, direction), format, ...bounds, exclusiveMinimum: rule.positive ? 0 : undefined });
}

const DECIMAL = { integer: '^[+-]?[0-9]+$', number: '^[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?$' };

/** Bodies may give a number as a decimal string. `pattern` judges strings only, and bounds judge numbers only. */
function written(type: 'integer' | 'number', direction: Direction): Schema {
  return direction === 'request' ? { type: [type, 'string'], pattern: DECIMAL[type] } : { type };
}

/** What the schema cannot say of a field, as sentences for its description. */
export function unsaidRules(field: DescField): string[] {
  const rule = rulesOf(field);
  const unsaid: string[] = [];
  if (rule.clamp) unsaid.push(`A number outside ${rule.min} to ${rule.max} is moved to the nearest bound.`);
  if (rule.maxJsonBytes !== undefined) unsaid.push(`At most ${rule.maxJsonBytes} bytes as JSON.`);
  if (field.message?.typeName === 'google.protobuf.Timestamp' && jsonForm(field) !== JsonForm.ISO_TIME) {
    unsaid.push('Epoch milliseconds.');
  }
  return unsaid;
}

const read = new WeakMap<DescField, Rules>();

/** The rules of a field, read once: an option is decoded at every look, and that took most of the time here. */
export function rulesOf(field: DescField): Rules {
  const known = read.get(field) ?? getOption(field, rules);
  read.set(field, known);
  return known;
}

const SCHEMAS: Readonly<Record<ChatSetting['type'], Schema>> = {
  uuid: { type: 'string', format: 'uuid' },
  number: { type: 'number' },
  integer: { type: 'integer' },
  boolean: { type: 'boolean' },
  string: { type: 'string' },
};

/** The schema without bounds: nothing out of range is refused. */
export function settingSchema(setting: ChatSetting): Schema {
  return { ...SCHEMAS[setting.type], ...(setting.default === undefined ? {} : { default: setting.default }) };
}

/** The config of a post processor: these keys for the built-in one, any others for one's own. */
const CHAT_CONFIG_SCHEMA: Schema = {
  type: 'object',
  properties: Object.fromEntries(
    CHAT_SETTING_ENTRIES.map(([key, setting]): [string, Part] => [
      key,
      { ...settingSchema(setting), description: `${settingProse(setting)}.` },
    ]),
  ),
  additionalProperties: true,
};
