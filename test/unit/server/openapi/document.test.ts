import { create, type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, test } from 'vitest';
import { EXAMPLES } from '../../../../src/server/openapi/examples.ts';
import { ERROR_CODES } from '../../../../src/shared/errors.ts';
import { validateMessage } from '../../../../src/shared/fields/validate.ts';
import { COMMENTS } from '../../../../src/shared/gen/comments.ts';
import { decodeJson } from '../../../../src/shared/json/decode.ts';
import { encodeJson } from '../../../../src/shared/json/encode.ts';
import type { Operation } from '../../../../src/shared/operations/operation.ts';
import { compileRoute } from '../../../../src/shared/operations/routes.ts';
import { OPERATIONS, type OperationKey, PROXY_OPERATION } from '../../../../src/shared/operations/table.ts';
import { DESCRIPTION, expectDescribed } from '../../../support/described.ts';
import { schemaProblems } from '../../../support/json-schema.ts';
import type { Json } from '../../../support/wire.ts';

const TABLE = Object.entries(OPERATIONS) as [OperationKey, Operation][];
const ROUTES = TABLE.flatMap(([key, operation]) => operation.rest.map((route) => ({ key, operation, route })));
const DESCRIBED = Object.entries(DESCRIPTION.paths as Record<string, Record<string, Json>>).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ target: `${method.toUpperCase()} ${path}`, operation })),
);

test('is a valid OpenAPI 3.1 document', async () => {
  const validator = new Validator();
  expect(await validator.validate(structuredClone(DESCRIPTION))).toEqual({ valid: true });
  expect(validator.version).toBe('3.1');
});

test('the settings of a retrieval by GET are listed once each, with the prefix pp_', () => {
  const parameters: Json[] = DESCRIPTION.paths['/v1/memories:retrieve'].get.parameters;
  for (const part of ['RerankerId', 'LlmId', 'RelevanceThreshold', 'LlmTemp', 'MaxResults', 'ChronologicalResort']) {
    const snake = part.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const listed = parameters.filter(({ name }) => name.endsWith(part) || name.endsWith(snake));
    expect(listed.map(({ name }) => name)).toEqual([`pp${snake}`]);
    expect(listed[0].description).toContain(`\`postProcessor${part}\`, \`pp${part}\`, \`post_processor${snake}\``);
  }
});

test('describes every route of the table, and no other below /v1 than the proxy and itself', () => {
  const others = [
    'GET /v1/openapi.json',
    ...PROXY_OPERATION.methods.map((method) => `${method} /v1/proxy/{kind}/{id}/{path}`),
  ];
  const table = ROUTES.map(({ route }) => `${route.method} ${route.path}`);
  const targets = DESCRIBED.map(({ target }) => target).filter((target) => target.includes(' /v1/'));
  expect(targets.sort()).toEqual([...table, ...others].sort());
});

test('names every operation once, says what it does and gives it an area', () => {
  const ids = DESCRIBED.map(({ operation }) => operation.operationId);
  expect(new Set(ids).size).toBe(ids.length);
  const areas = DESCRIPTION.tags.map(({ name }: { name: string }) => name);
  for (const { target, operation } of DESCRIBED) {
    expect(operation.summary, target).not.toBe('');
    expect(areas, target).toContain(operation.tags[0]);
  }
});

test('every reference resolves, and every component is used', () => {
  const refs = new Set(
    [...JSON.stringify(DESCRIPTION).matchAll(/"\$ref":"#\/components\/(\w+\/[\w-]+)"/g)].map(([, name]) => name),
  );
  const sections = ['schemas', 'responses', 'headers'] as const;
  const held = sections.flatMap((section) =>
    Object.keys(DESCRIPTION.components[section]).map((name) => `${section}/${name}`),
  );
  expect([...refs].sort()).toEqual(held.sort());
});

test('lists the codes of the error table', () => {
  expect(DESCRIPTION.components.schemas.Error.properties.error.properties.code.enum).toEqual(Object.keys(ERROR_CODES));
});

test('marks operations that this build lacks', () => {
  const { post: ocr } = DESCRIPTION.paths['/v1/ocr:document'];
  expect(ocr.description).toContain('does not have the operation');
  expect(Object.keys(ocr.responses)).toContain('501');
  const { post: ping } = DESCRIPTION.paths['/v1/ping:once'];
  expect(ping.description).not.toContain('does not have the operation');
  expect(Object.keys(ping.responses)).not.toContain('501');
});

describe('every call, message field and value with a meaning has a comment', () => {
  const messages = new Set<DescMessage>();
  const collect = (desc: DescMessage): void => {
    if (messages.has(desc) || !desc.typeName.startsWith('service.v1.')) return;
    messages.add(desc);
    for (const field of desc.fields) if (field.message !== undefined) collect(field.message);
  };
  for (const [, { rpc }] of TABLE) for (const desc of [rpc.input, rpc.output]) collect(desc);

  test('calls', () => {
    const silent = TABLE.map(([, { rpc }]) => `${rpc.parent.typeName}.${rpc.name}`).filter((name) => !COMMENTS[name]);
    expect(silent).toEqual([]);
  });

  test('fields', () => {
    const names = [...messages].flatMap((desc) => desc.fields.map((field) => `${desc.typeName}.${field.name}`));
    expect(names.filter((name) => !COMMENTS[name])).toEqual([]);
  });
});

const WITH_BODY = ROUTES.filter(({ route }) => route.method !== 'GET' && route.method !== 'DELETE');

test.each(WITH_BODY)('the example of $route.method $route.path can be sent', ({ key, operation, route }) => {
  const example = EXAMPLES[key];
  if (example === undefined) throw new Error('there is none');
  const { bodyMessage, pathFields, queryFields } = compileRoute(operation, route);
  const message = decodeJson(bodyMessage, example, { omit: [...pathFields, ...queryFields] });
  const violations = validateMessage(bodyMessage, message).filter(({ path }) => !pathFields.includes(path));
  expect(violations).toEqual([]);
  const body = DESCRIPTION.paths[route.path][route.method.toLowerCase()].requestBody;
  expect(schemaProblems(body.content['application/json'].schema, example, DESCRIPTION)).toEqual([]);
});

/** A message with a value in every field; of each oneof the member that the turn picks. */
function filled(desc: DescMessage, turn: number, depth = 0): Json {
  const members: Record<string, unknown> = {};
  for (const oneof of desc.oneofs) {
    const field = oneof.fields[turn % oneof.fields.length];
    if (field !== undefined) members[oneof.localName] = { case: field.localName, value: contentOf(field, turn, depth) };
  }
  for (const field of desc.fields)
    if (field.oneof === undefined) members[field.localName] = contentOf(field, turn, depth);
  return create(desc, members as never);
}

function contentOf(field: DescField, turn: number, depth: number): unknown {
  const one = () => {
    if (field.message !== undefined) return embedded(field.message, turn, depth);
    return field.enum === undefined ? scalar(field.scalar) : (field.enum.values.at(-1)?.number ?? 0);
  };
  if (field.fieldKind === 'list') return depth > 5 ? [] : [one()];
  return field.fieldKind === 'map' ? { key: one() } : one();
}

function embedded(desc: DescMessage, turn: number, depth: number): unknown {
  if (desc.typeName === 'google.protobuf.Timestamp') return create(desc, { seconds: 1_772_530_200n } as never);
  return desc.typeName === 'google.protobuf.Struct'
    ? { room: 'cellar', nested: { n: [1, null] } }
    : filled(desc, turn, depth + 1);
}

function scalar(type: ScalarType | undefined): unknown {
  switch (type) {
    case ScalarType.STRING:
      return '01980000-0000-7000-8000-0000000000b1';
    case ScalarType.BOOL:
      return true;
    case ScalarType.BYTES:
      return new Uint8Array([0, 159, 146, 150]);
    case ScalarType.INT64:
      return 1n;
    default:
      return 1;
  }
}

const ANSWERS = ROUTES.filter(({ route }) => route.response === 'message' || route.response === 'events');

test.each(ANSWERS)('the encoded response of $route.method $route.path matches its schema', ({ operation, route }) => {
  const { output } = operation.rpc;
  const headers = new Set(['x-request-id', 'x-service-version', 'location']);
  for (let turn = 0; turn < 5; turn += 1) {
    const body = JSON.parse(encodeJson(output, filled(output, turn)));
    expectDescribed({ method: route.method, path: route.path, status: route.success, headers, body });
  }
});
