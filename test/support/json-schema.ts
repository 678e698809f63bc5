import type { Json } from './wire.ts';

/**
 * What of a value does not fit a JSON Schema, as `path: problem`. Knows the keywords that the API description uses, and
 * throws at any other. Stricter than the standard in one thing: a member that the schema does not describe is a problem.
 */
export function schemaProblems(schema: Json, value: unknown, root: Json, path = ''): string[] {
  const unknown = Object.keys(schema).filter((keyword) => !KEYWORDS.has(keyword));
  if (unknown.length > 0) throw new Error(`the checker does not know ${unknown.join(', ')}`);
  if (schema.$ref !== undefined) return schemaProblems(resolve(root, schema.$ref), value, root, path);
  const problems: string[] = [];
  const say = (problem: string) => problems.push(`${path || 'value'}: ${problem}`);
  if (schema.type !== undefined && ![schema.type].flat().some((type: string) => isType(value, type))) {
    say(`${JSON.stringify(value)} is no ${[schema.type].flat().join(' or ')}`);
    return problems;
  }
  if (schema.enum !== undefined && !schema.enum.includes(value)) say(`${JSON.stringify(value)} is not in the enum`);
  if (typeof value === 'string') checkText(schema, value, say);
  if (typeof value === 'number') checkNumber(schema, value, say);
  for (const part of schema.allOf ?? []) problems.push(...schemaProblems(part, value, root, path));
  if (schema.not !== undefined && (schema.not.required as string[]).every((name) => name in (value as object))) {
    say(`has all of ${schema.not.required}`);
  }
  if (schema.anyOf?.every((part: Json) => schemaProblems(part, value, root, path).length > 0)) say('fits no variant');
  if (Array.isArray(value)) problems.push(...itemProblems(schema, value, root, path, say));
  else if (typeof value === 'object' && value !== null) {
    problems.push(...memberProblems(schema, value as Record<string, unknown>, root, path, say));
  }
  return problems;
}

type Say = (problem: string) => void;

const KEYWORDS: ReadonlySet<string> = new Set([
  ...['$ref', 'type', 'enum', 'required', 'properties', 'additionalProperties', 'propertyNames', 'items', 'not'],
  ...['allOf', 'anyOf', 'minLength', 'maxLength', 'pattern', 'format', 'minimum', 'maximum', 'exclusiveMinimum'],
  ...['minItems', 'maxItems', 'minProperties', 'maxProperties', 'contentEncoding', 'contentMediaType'],
  ...['description', 'default'],
]);

function resolve(root: Json, ref: string): Json {
  const found = ref
    .slice(2)
    .split('/')
    .reduce((at, name) => at?.[name], root);
  if (found === undefined) throw new Error(`${ref} leads nowhere`);
  return found;
}

function isType(value: unknown, type: string): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type && value !== null && !Array.isArray(value);
}

function checkText(schema: Json, value: string, say: Say): void {
  const length = [...value].length;
  if (length < (schema.minLength ?? 0) || length > (schema.maxLength ?? Infinity)) say('has the wrong length');
  if (schema.pattern !== undefined && !new RegExp(schema.pattern, 'u').test(value)) say(`is not ${schema.pattern}`);
  if (schema.format === 'uuid' && !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value)) say('is no UUID');
  if (schema.format === 'date-time' && Number.isNaN(Date.parse(value))) say('is no time');
  if (schema.contentEncoding === 'base64' && !/^[A-Za-z0-9+/]*={0,2}$/.test(value)) say('is not base64');
}

function checkNumber(schema: Json, value: number, say: Say): void {
  if (value < (schema.minimum ?? -Infinity) || value > (schema.maximum ?? Infinity)) say(`${value} is out of range`);
  if (value <= (schema.exclusiveMinimum ?? -Infinity)) say(`${value} is too small`);
}

function itemProblems(schema: Json, value: unknown[], root: Json, path: string, say: Say): string[] {
  if (value.length < (schema.minItems ?? 0) || value.length > (schema.maxItems ?? Infinity)) say('has the wrong size');
  return value.flatMap((item, at) => schemaProblems(schema.items ?? {}, item, root, `${path}[${at}]`));
}

function memberProblems(schema: Json, value: Record<string, unknown>, root: Json, path: string, say: Say): string[] {
  const names = Object.keys(value);
  if (names.length < (schema.minProperties ?? 0) || names.length > (schema.maxProperties ?? Infinity)) {
    say('has the wrong number of members');
  }
  for (const name of schema.required ?? []) if (!names.includes(name)) say(`lacks ${name}`);
  const closed = schema.properties !== undefined;
  return names.flatMap((name) => {
    const where = `${path}.${name}`;
    const member = schema.properties?.[name] ?? schema.additionalProperties ?? !closed;
    if (member === false) return [`${where}: is not described`];
    const named = schema.propertyNames === undefined ? [] : schemaProblems(schema.propertyNames, name, root, where);
    return member === true ? named : [...named, ...schemaProblems(member, value[name], root, where)];
  });
}
