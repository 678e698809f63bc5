import { expect, expectTypeOf, test } from 'vitest';
import { MemoryService } from '../../../../src/shared/gen/service/v1/memory_pb.ts';
import { PingService } from '../../../../src/shared/gen/service/v1/ping_pb.ts';
import { UserService } from '../../../../src/shared/gen/service/v1/user_pb.ts';
import { joinedTables, operation, READ } from '../../../../src/shared/operations/operation.ts';
import { deleted, got, posted } from '../../../../src/shared/operations/routes.ts';
import { OPERATIONS } from '../../../../src/shared/operations/table.ts';

const { getUser, deleteUser } = UserService.method;
const ROW = { ...READ, permission: 'READ_USER', spaceBoundKey: 'refused', errors: [], rest: [got('/v1/a')] } as const;

test('rows that do not compile', () => {
  const rows = () => [
    operation(getUser, ROW),
    operation(getUser, { ...ROW, showsSecret: true }),
    // @ts-expect-error: the attribute is `showsSecret`.
    operation(getUser, { ...ROW, showsSecrets: true }),
    // @ts-expect-error: an attribute of a preset is checked, too.
    operation(getUser, { ...{ ...ROW, isMissing: true } }),
    // @ts-expect-error: a row says how it treats keys that are bound to spaces.
    operation(getUser, { ...READ, permission: 'READ_USER', errors: [], rest: [] }),
    // @ts-expect-error: the permission does not exist.
    operation(getUser, { ...ROW, permission: 'READ_USERS' }),
    // @ts-expect-error: routes have a `query`, no `queries`.
    operation(getUser, { ...ROW, rest: [{ ...got('/v1/a'), queries: [] }] }),
    // @ts-expect-error: what a route carries follows from the RPC.
    operation(getUser, { ...ROW, rest: [{ ...got('/v1/a'), response: 'events' }] }),
    // @ts-expect-error: what an operation answers follows from the RPC.
    operation(getUser, { ...ROW, answers: 'events' }),
  ];
  expect(rows).not.toThrow();
});

test('tables with a key in common do not compile', () => {
  const a = { getUser: operation(getUser, ROW) };
  const b = { deleteUser: operation(deleteUser, ROW) };
  const tables = () => [
    joinedTables([a, b]),
    // @ts-expect-error: { keyOfSeveralTables: 'getUser' }
    joinedTables([a, b, { getUser: operation(deleteUser, ROW) }]),
    // @ts-expect-error: { keyOfSeveralTables: 'deleteUser' }
    joinedTables([a, b, b]),
  ];
  expect(tables).not.toThrow();
  expect(joinedTables([a, b])).toEqual({ ...a, ...b });
  expectTypeOf(joinedTables([a, b])).toEqualTypeOf<typeof a & typeof b>();
});

test('what an operation answers, and what its routes carry, follows from its RPC', () => {
  const { getMemoryText, retrieveMemory } = MemoryService.method;
  const rest = [got('/v1/a'), posted('/v1/b')];
  const one = operation(getUser, { ...ROW, rest });
  const events = operation(retrieveMemory, { ...ROW, rest });
  const conversation = operation(PingService.method.ping, { ...ROW, rest });
  const content = operation(getMemoryText, { ...ROW, rest: [got('/v1/a'), got('/v1/b', { isText: true })] });

  expectTypeOf(one.answers).toEqualTypeOf<'message'>();
  expectTypeOf(events.answers).toEqualTypeOf<'events'>();
  expectTypeOf(conversation.answers).toEqualTypeOf<'events'>();
  expectTypeOf(content.answers).toEqualTypeOf<'content'>();
  const told = [one, events, conversation, content].map(({ answers, rest }) => [
    answers,
    ...rest.map(({ response }) => response),
  ]);
  expect(told).toEqual([
    ['message', 'message', 'message'],
    ['events', 'events', 'events'],
    ['events', 'events', 'events'],
    ['content', 'content', 'text'],
  ]);
  expect(operation(deleteUser, { ...ROW, rest: [deleted('/v1/a')] }).rest[0]?.response).toBe('none');
});

test('the operations that do not answer with one message', () => {
  const others = Object.entries(OPERATIONS).filter(([, { answers }]) => answers !== 'message');
  expect(
    Object.fromEntries(others.map(([key, { answers, rest }]) => [key, [answers, ...rest.map((r) => r.response)]])),
  ).toMatchInlineSnapshot(`
      {
        "getMemoryContent": [
          "content",
          "content",
        ],
        "getMemoryPageImageContent": [
          "content",
          "content",
        ],
        "getMemoryText": [
          "content",
          "text",
        ],
        "ping": [
          "events",
          "events",
        ],
        "retrieveMemory": [
          "events",
          "events",
          "events",
        ],
      }
    `);
});
