import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ServiceError } from '../../../../../src/shared/errors.ts';
import { encodeJson } from '../../../../../src/shared/json/encode.ts';
import { enumNames } from '../../../../../src/shared/json/enum-names.ts';
import type { Operation, RestRoute } from '../../../../../src/shared/operations/operation.ts';
import {
  RETRIEVE_QUERY_FIELDS,
  RETRIEVE_QUERY_SETTINGS,
  settingQueryNames,
} from '../../../../../src/shared/operations/retrieve-query.ts';
import { type CompiledRoute, compileRoute } from '../../../../../src/shared/operations/routes.ts';
import { OPERATIONS, type OperationKey } from '../../../../../src/shared/operations/table.ts';
import { startWires, type Wires } from '../transport.fixture.ts';

const IDS = ['01980000-0000-7000-8000-00000000000a', '01980000-0000-7000-8000-00000000000b'] as const;

/** Two values of a parameter that the rules of every field accept. */
type Pair = readonly [string, string];

interface Parameter {
  /** Every name, the one that counts first. */
  names: readonly string[];
  values: Pair;
  /** Reads what became of it from the JSON form of the request. */
  read(request: Record<string, unknown>): unknown;
}

interface Case {
  key: OperationKey;
  route: CompiledRoute;
  parameters: readonly Parameter[];
  /** What the request needs besides. */
  fixed: Readonly<Record<string, string>>;
}

/** Strings that have rules of their own. */
const SAMPLES: Readonly<Record<string, Pair>> = {
  sortBy: ['name', 'created_at'],
};

let wires: Wires;
/** What reached a handler last, in the JSON form of its message. */
let reached: Record<string, unknown> | undefined;

beforeAll(async () => {
  wires = await startWires();
  const arrived = (key: OperationKey) => (message: never) => {
    reached = JSON.parse(encodeJson(OPERATIONS[key].rpc.input as DescMessage, message));
    throw new ServiceError('FAILED_PRECONDITION', 'Arrived');
  };
  const handlers = Object.fromEntries(Object.keys(OPERATIONS).map((key) => [key, arrived(key as OperationKey)]));
  // A stream is pulled only once it has been opened, so a handler that throws at once stands for both shapes.
  wires.open({ handlers: handlers as never });
});
afterAll(async () => {
  await wires?.close();
});

/** The JSON form of the request that a query became; throws where it was refused. */
async function request({ route, fixed }: Case, query: readonly (readonly [string, string])[]) {
  reached = undefined;
  const path = route.route.path.replace(/\{(\w+)\}/g, (_, name: string) => (name === 'pageIndex' ? '3' : IDS[0]));
  const params = new URLSearchParams([
    ...Object.entries(fixed),
    ...query.map(([name, value]) => [name, value]),
  ] as never);
  const response = await fetch(`${wires.rest}${path}?${params}`, { headers: { 'x-api-key': 'key-a' } });
  if (reached === undefined) throw new Error(`${path}?${params} answered ${await response.text()}`);
  return reached;
}

const routes: Case[] = Object.entries(OPERATIONS).flatMap(([name, operation]) =>
  (operation.rest as readonly RestRoute[])
    .filter(({ method }) => method === 'GET')
    .map((route) => caseOf(name as OperationKey, compileRoute(operation as Operation, route))),
);

function caseOf(key: OperationKey, route: CompiledRoute): Case {
  const { fields } = route.bodyMessage;
  if (key === 'retrieveMemory') {
    const own = fields.filter(({ jsonName }) => (RETRIEVE_QUERY_FIELDS as readonly string[]).includes(jsonName));
    const fixed = { message: 'm', spaceIds: IDS[0] };
    return { key, route, parameters: [...own.flatMap(parametersOf), ...retrieveParameters()], fixed };
  }
  const own = fields.filter(({ jsonName }) => route.queryFields.includes(jsonName));
  return { key, route, parameters: own.flatMap(parametersOf), fixed: {} };
}

function parametersOf(field: DescField): Parameter[] {
  const read = (json: Record<string, unknown>) => json[field.jsonName];
  if (field.fieldKind === 'map') {
    const entry = (json: Record<string, unknown>) => (read(json) as Record<string, unknown>).k;
    return [`${field.name}.k`, `${field.name}[k]`].map((name) => ({ names: [name], values: ['a', 'b'], read: entry }));
  }
  return [{ names: [...new Set([field.jsonName, field.name])], values: valuesOf(field), read }];
}

function valuesOf(field: DescField): Pair {
  if (field.enum !== undefined) {
    const { byNumber } = enumNames(field.enum);
    return [byNumber.get(1) ?? '', byNumber.get(2) ?? ''];
  }
  if (field.scalar === ScalarType.BOOL) return ['true', 'false'];
  if (field.scalar === ScalarType.INT32) return field.jsonName === 'maxResults' ? ['20', '30'] : ['1', '2'];
  if (field.scalar !== ScalarType.STRING) throw new Error(`no sample of ${field.jsonName}`);
  if (field.jsonName.endsWith('Id')) return IDS;
  return SAMPLES[field.jsonName] ?? ['a', 'b'];
}

function retrieveParameters(): Parameter[] {
  const settings = RETRIEVE_QUERY_SETTINGS.map(([key, { type }]) => ({
    names: settingQueryNames(key),
    values: (type === 'uuid' ? IDS : type === 'boolean' ? ['true', 'false'] : ['1', '2']) as Pair,
    read: (json: Record<string, unknown>) =>
      (json.postProcessor as { config: Record<string, unknown> } | undefined)?.config[key],
  }));
  const first = (json: Record<string, unknown>) => (json.spaceKeys as Record<string, unknown>[])[0] ?? {};
  return [
    ...settings,
    { names: ['filter'], values: ['a', 'b'], read: (json) => first(json).filter },
    { names: ['spaceIds', 'space_ids'], values: IDS, read: (json) => first(json).spaceId },
  ];
}

test('every GET route is listed, and every field of its request outside the path', () => {
  const names = routes.flatMap(({ key, parameters }) => parameters.map(({ names }) => `${key} ${names[0]}`));
  expect(names.length).toBeGreaterThan(40);
  expect(names).toContain('listSpaces maxResults');
  expect(names).toContain('retrieveMemory postProcessorLlmTemp');
});

describe.each(routes.map((entry) => [`${entry.key} ${entry.route.route.path}`, entry] as const))(
  '%s',
  (_name, entry) => {
    if (entry.parameters.length === 0) {
      test('takes nothing from the query', async () => {
        expect(await request(entry, [['whatever', '1']])).toEqual(await request(entry, []));
      });
      return;
    }
    test.each(entry.parameters.map((parameter) => [parameter.names[0], parameter] as const))(
      '%s',
      async (_first, { names, values: [a, b], read }) => {
        const fixed = Object.fromEntries(Object.entries(entry.fixed).filter(([name]) => !names.includes(name)));
        const bare = { ...entry, fixed };
        const given = async (...query: [string, string][]) => read(await request(bare, query));
        const seen = await given([names[0] ?? '', a]);
        const other = await given([names[0] ?? '', b]);
        expect(String(seen)).toBe(a);
        expect(other).not.toEqual(seen);
        for (const [index, name] of names.entries()) {
          expect(await given([name, a])).toEqual(seen);
          // A name beats every later one, wherever it stands.
          for (const later of names.slice(index + 1)) {
            expect(await given([later, b], [name, a])).toEqual(seen);
            expect(await given([name, a], [later, b])).toEqual(seen);
          }
        }
      },
    );
  },
);
