import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OPERATIONS } from '../../../src/shared/operations/table.ts';
import { BUILT } from '../../support/built-operations.ts';
import { grpcWire } from '../../support/grpc-wire.ts';
import { restWire } from '../../support/rest-wire.ts';
import { useOwnServer } from '../../support/server.fixture.ts';
import { Stage } from '../../support/stage.ts';
import type { Wire } from '../../support/wire.ts';
import { NOBODIES } from './access.ts';
import { answersToNobodies, HEADERS, restResponseTo, WHO_AM_I } from './credentials.ts';
import { judge } from './judge.ts';
import { judgeList, LIST_ROWS } from './lists.ts';
import type { Row, RowOperation } from './row.ts';
import { API_KEY_ROWS, USER_ROWS } from './rows/identity.ts';
import { MEMORY_ROWS } from './rows/memories.ts';
import { LAST_ROWS, SERVER_ROWS } from './rows/server.ts';
import { SPACE_ROWS } from './rows/spaces.ts';
import { PING_ROWS, PROXY_ROWS, TARGET_ROWS } from './rows/targets.ts';
import { STORIES, tell } from './several.ts';
import { World } from './world.fixture.ts';

const ROWS: readonly Row[] = [
  ...API_KEY_ROWS,
  ...USER_ROWS,
  ...SPACE_ROWS,
  ...MEMORY_ROWS,
  ...TARGET_ROWS,
  ...PING_ROWS,
  ...PROXY_ROWS,
  ...SERVER_ROWS,
];

const running = useOwnServer();
let wires: Readonly<Record<string, Wire>> = {};
let world: World;

beforeAll(async () => {
  const { server, rootKey: key } = running;
  const rest = restWire(server.rest);
  wires = { REST: rest, gRPC: grpcWire(server.grpc) };
  const me = await rest.call('getUser', {}, { key });
  if (!me.ok) throw new Error(`getUser answered ${me.code}`);
  world = await World.open(new Stage(rest, server, { key, userId: me.body.userId as string }));
});

afterAll(async () => {
  for (const wire of Object.values(wires)) wire.close();
  await world?.close();
});

const isBuilt = (operation: RowOperation) => operation === 'proxy' || BUILT.has(operation);
const named = <T extends { operation: RowOperation; form?: string }>(rows: readonly T[]) =>
  rows
    .filter(({ operation }) => isBuilt(operation))
    .map((row) => [row.form === undefined ? row.operation : `${row.operation}, ${row.form}`, row] as const);

function wireOf(name: string): Wire {
  const wire = wires[name];
  if (wire === undefined) throw new Error('the server did not start');
  return wire;
}

test('the matrix has every operation', () => {
  const covered = new Set<string>([...ROWS, ...LAST_ROWS, ...LIST_ROWS].map(({ operation }) => operation));
  expect(Object.keys(OPERATIONS).filter((operation) => !covered.has(operation))).toEqual([]);
  expect(covered).toContain('proxy');
});

describe.each(['REST', 'gRPC'])('operations by caller, over %s', (name) => {
  const rows = ROWS.filter((row) => row.send === undefined || name === 'REST');
  test.each(named(rows))('%s', async (_name, row) => judge(row, world, wireOf(name)));
});

describe.each(['REST', 'gRPC'])('visibility by caller, over %s', (name) => {
  test.each(named(LIST_ROWS))('%s', async (_name, row) => judgeList(row, world, wireOf(name)));
});

describe.each(['REST', 'gRPC'])('several resources and changes, over %s', (name) => {
  test.each(STORIES.map((story) => [story.name, story] as const))('%s', async (_name, story) =>
    tell(story, world, wireOf(name)),
  );
});

describe.each(['REST', 'gRPC'])('credentials over %s', (name) => {
  test('x-api-key takes precedence over a bearer token', async () => {
    const { ada, bob } = world.people;
    const ids = { x: ada.userId, y: bob.userId, nobody: undefined };
    const whoAmI = WHO_AM_I[name];
    const found = await Promise.all(HEADERS.map(({ headers }) => whoAmI?.(running.server, headers(ada.key, bob.key))));
    expect(found).toEqual(HEADERS.map(({ who }) => ids[who]));
  });

  test('unusable keys are indistinguishable', async () => {
    for (const [operation, answers] of await answersToNobodies(world, wireOf(name))) {
      expect([operation, ...answers]).toHaveLength(2);
    }
  });
});

test('unusable keys are indistinguishable by the headers of REST', async () => {
  const keys = await Promise.all(NOBODIES.map((nobody) => world.keyOf(nobody)));
  const [first, ...others] = await Promise.all(keys.map((key) => restResponseTo(running.server, key)));
  for (const other of others) expect(other).toEqual(first);
});

// A build without them has none to declare.
test.each(['REST', 'gRPC'].flatMap((name) => named(LAST_ROWS).map(([title, row]) => [title, name, row] as const)))(
  'at last: %s over %s',
  async (_title, name, row) => judge(row, world, wireOf(name)),
);
