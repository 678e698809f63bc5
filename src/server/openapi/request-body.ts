import type { JsonObject } from '@bufbuild/protobuf';
import type { CompiledRoute } from '../../shared/operations/routes.ts';
import type { Components } from './components.ts';
import type { Part, Schema } from './schema.ts';

/** The body of a route, as JSON and, for uploads, as a form. */
export function requestBody(
  { route, bodyMessage, pathFields, queryFields }: CompiledRoute,
  components: Components,
  example: JsonObject | undefined,
): Part {
  const omit = [...pathFields, ...queryFields];
  const schema = components.body(bodyMessage, omit);
  const needed = bodyMessage.fields.some(
    ({ jsonName }) => !omit.includes(jsonName) && requiredOf(components, schema).includes(jsonName),
  );
  const json = { 'application/json': { schema, ...(example === undefined ? {} : { example }) } };
  const { multipartField } = route;
  if (multipartField === undefined) return { ...(needed ? { required: true } : {}), content: json };
  const part =
    multipartField === 'request' ? components.uploadPart(bodyMessage, omit) : batchPart(components, bodyMessage, omit);
  return { required: true, content: { ...json, 'multipart/form-data': form(multipartField, part) } };
}

function requiredOf(components: Components, ref: Schema): readonly string[] {
  const name = String(ref.$ref).split('/').at(-1) ?? '';
  return (components.schemas[name]?.required ?? []) as string[];
}

function batchPart(components: Components, desc: CompiledRoute['bodyMessage'], omit: readonly string[]): Schema {
  const items = desc.fields.find((field) => field.fieldKind === 'list')?.message;
  const envelope = components.body(desc, omit);
  if (items === undefined) return envelope;
  return { anyOf: [envelope, { type: 'array', items: components.message(items, 'request') }] };
}

/** The describing part is JSON; every other part is a file, and in a batch an item names its own with `fileField`. */
function form(field: 'request' | 'requests', part: Schema): Part {
  const file: Schema = { type: 'string', contentMediaType: 'application/octet-stream', description: 'The bytes.' };
  return {
    schema: {
      type: 'object',
      required: field === 'request' ? [field, 'file'] : [field],
      properties: { [field]: part, file },
      ...(field === 'request' ? {} : { additionalProperties: file }),
    },
    encoding: { [field]: { contentType: 'application/json' } },
  };
}
