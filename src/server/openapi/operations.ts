import type { DescField, JsonObject } from '@bufbuild/protobuf';
import { SpaceKeySchema } from '../../shared/gen/service/v1/retrieve_pb.ts';
import { isScoped } from '../../shared/identity.ts';
import { pascalCase } from '../../shared/name-cases.ts';
import { settingProse } from '../../shared/operations/chat-settings.ts';
import type { Operation, OperationRow, RestRoute } from '../../shared/operations/operation.ts';
import {
  RETRIEVE_QUERY_FIELDS,
  RETRIEVE_QUERY_SETTINGS,
  settingQueryNames,
} from '../../shared/operations/retrieve-query.ts';
import { type CompiledRoute, compileRoute } from '../../shared/operations/routes.ts';
import { OPERATIONS, type OperationKey } from '../../shared/operations/table.ts';
import { areaOf } from './areas.ts';
import { type Components, sentences } from './components.ts';
import { codesOf, errorResponses, hasBody } from './error-responses.ts';
import { EXAMPLES } from './examples.ts';
import { fieldProse, methodProse } from './prose.ts';
import { contentParameters, successResponses } from './responses.ts';
import { type Part, present, type Schema } from './schema.ts';
import { securityOf } from './security.ts';
import { type ComponentSchemas, fieldSchema, rulesOf, settingSchema, unsaidRules } from './value-schema.ts';

export interface Sections {
  paths: Record<string, Record<string, Part>>;
  components: Components;
  /** Error responses that operations refer to, by name. */
  responses: Record<string, Part>;
}

/** Adds every route of the operations table. */
export function addOperations(sections: Sections): void {
  for (const key of Object.keys(OPERATIONS) as OperationKey[]) {
    const operation: Operation = OPERATIONS[key];
    for (const route of operation.rest) {
      const described = describe(key, route, sections);
      sections.paths[route.path] = { ...sections.paths[route.path], [route.method.toLowerCase()]: described };
    }
  }
}

function describe(key: OperationKey, route: RestRoute, { components, responses }: Sections): Part {
  const operation: Operation = OPERATIONS[key];
  const compiled = compileRoute(operation, route);
  const { summary, description } = methodProse(operation.rpc);
  const parameters = [...parametersOf(compiled, components), ...contentParameters(route)];
  const example = EXAMPLES[key];
  return {
    operationId: operationId(key, route),
    tags: [areaOf(operation.rpc)],
    summary,
    description: [description, permissionSentence(operation), operation.isLacking === true ? LACKING : '']
      .filter(Boolean)
      .join('\n\n'),
    ...securityOf(key, operation),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(hasBody(route) ? { requestBody: requestBody(compiled, components, example) } : {}),
    responses: {
      ...successResponses(compiled, components),
      ...errorResponses(codesOf(operation, route), responses),
    },
    'x-codeSamples': [curlSample(route, operation.auth, hasBody(route) ? example : undefined)],
  };
}

const LACKING = '**This build does not have the operation:** it answers 501 UNIMPLEMENTED.';

function permissionSentence({ permission }: Operation): string {
  if (permission === undefined) return '';
  if (!isScoped(permission)) return `Permission: \`${permission}\`.`;
  return `Permission: \`${permission}_OWN\` for one's own, \`${permission}_ANY\` for all.`;
}

/** The operation's own name; where it has several routes, with what tells the route from the others. */
function operationId(key: OperationKey, route: RestRoute): string {
  const routes: readonly RestRoute[] = OPERATIONS[key].rest;
  if (routes.length === 1) return key;
  const names = [...route.path.matchAll(/\{(\w+)\}/g)].map((match) => pascalCase(match[1] ?? ''));
  if (names.length > 0) return `${key}By${names.join('And')}`;
  if (routes.some((other) => other !== route && other.path === route.path)) {
    return hasBody(route) ? key : `${key}ByQuery`;
  }
  return `${key}${pascalCase(route.path.split('/').at(-1) ?? '')}`;
}

/** The path and query parameters of a route. */
function parametersOf({ route, bodyMessage, pathFields, queryFields }: CompiledRoute, named: ComponentSchemas): Part[] {
  const described = (names: readonly string[], place: 'path' | 'query') =>
    bodyMessage.fields.filter((field) => names.includes(field.jsonName)).map((field) => parameter(field, place, named));
  const path = described(pathFields, 'path');
  if (route.fromQuery === undefined) return [...path, ...described(queryFields, 'query')];
  return [...path, ...spaceParameters(), ...described(RETRIEVE_QUERY_FIELDS, 'query'), ...settingParameters()];
}

function parameter(field: DescField, place: 'path' | 'query', named: ComponentSchemas): Part {
  return present({
    name: field.jsonName,
    in: place,
    required: place === 'path' || rulesOf(field).required || undefined,
    description: sentences([fieldProse(field), ...unsaidRules(field)]) || undefined,
    schema: fieldSchema(field, 'query', named),
    ...STYLES[field.fieldKind],
  });
}

/** Lists are separated by commas, and a map has a parameter per key, as in `label[room]=cellar`. */
const STYLES: Partial<Record<DescField['fieldKind'], Part>> = {
  list: { style: 'form', explode: false },
  map: { style: 'deepObject', explode: true },
};

/** The query of a retrieval names spaces, not space keys, and has one filter for all of them. */
function spaceParameters(): Part[] {
  return [
    {
      name: 'spaceIds',
      in: 'query',
      required: true,
      description: 'The spaces to search, separated by commas.',
      schema: { type: 'array', items: { type: 'string', format: 'uuid' }, minItems: 1, maxItems: 100 },
      ...STYLES.list,
    },
    { name: 'filter', in: 'query', description: fieldProse(SpaceKeySchema.field.filter), schema: { type: 'string' } },
  ];
}

/** Each setting once, under its shortest name: the page that tries operations out fills in the defaults of all that it lists. */
function settingParameters(): Part[] {
  return RETRIEVE_QUERY_SETTINGS.map(([key, setting]) => {
    const others = settingQueryNames(key);
    const shortest = others.pop() ?? key;
    const also = others.map((other) => `\`${other}\``).join(', ');
    return {
      name: shortest,
      in: 'query',
      description: `${settingProse(setting)}. Also ${also}; the first of these counts.`,
      schema: settingSchema(setting),
    };
  });
}

/** The body of a route, as JSON and, for uploads, as a form. */
function requestBody(
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

/** The call as a line for a shell, with the address and the key in variables. */
function curlSample(route: RestRoute, auth: OperationRow['auth'], example: JsonObject | undefined): Part {
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => shellName(name));
  const query = route.fromQuery === undefined ? '' : '?message=boiler&spaceIds=SPACE_ID';
  const words = [
    'curl',
    ...(route.method === 'GET' ? [] : ['-X', route.method]),
    `"$SVC_URL${path}${query}"`,
    ...(auth === 'none' ? [] : ['-H "x-api-key: $SVC_API_KEY"']),
    ...(example === undefined ? [] : [`-H 'content-type: application/json'`, `-d ${quoted(JSON.stringify(example))}`]),
  ];
  return { lang: 'Shell', label: 'curl', source: words.join(' ') };
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** `spaceId` becomes `SPACE_ID`. */
function shellName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}
