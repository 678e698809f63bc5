import type { OperationKey } from '../../../src/shared/operations/table.ts';
import type { Json, Wire } from '../../support/wire.ts';
import { TARGET_KINDS } from '../target-kinds.ts';
import { CALLERS, NOBODIES } from './access.ts';
import { tableOf } from './judge.ts';
import type { World } from './world.fixture.ts';

/** A list and the marked things that each caller sees in it, in the order of CALLERS. */
interface ListRow {
  operation: OperationKey;
  form: string;
  request(world: World): Readonly<Record<string, unknown>>;
  /** The marks of what came back. */
  seen(body: Json, world: World): string[];
  /** Marks joined with `+`, `-` for none, `no` for a refusal. */
  expected: string;
}

function marked(ids: Readonly<Record<string, string>>, listed: readonly string[]): string[] {
  return Object.keys(ids).filter((mark) => listed.includes(ids[mark] ?? ''));
}

/** P private, U public, E elsewhere: the owner's. B another USER's, R ROOT's. */
const seenSpaces = ({ spaces: listed }: Json, { spaces }: World) => {
  const marks = { P: spaces.private, U: spaces.public, E: spaces.elsewhere, B: spaces.bobs, R: spaces.roots };
  return marked(
    marks,
    listed.map(({ spaceId }: Json) => spaceId),
  );
};
/** O the owner, B another USER, A the ADMIN, R ROOT. */
const usersOf = ({ people }: World) => ({
  O: people.ada.userId,
  B: people.bob.userId,
  A: people.carl.userId,
  R: people.root.userId,
});
const all = { maxResults: 1000 };

/*                         read-only  bound  elsewhere  owner  another    ADMIN      ROOT       read-only  bound ROOT */
const SPACE_LISTS: readonly ListRow[] = [
  {
    operation: 'listSpaces',
    form: 'own',
    request: () => all,
    seen: seenSpaces,
    expected: '            P+U+E      P      E          P+U+E  B          P+U+E+B+R  P+U+E+B+R  P+U+E+B+R  P',
  },
  {
    operation: 'listSpaces',
    form: 'public ones',
    request: () => ({ ...all, publicRead: true }),
    seen: seenSpaces,
    expected: '            U          -      -          U      U          U          U          U          -',
  },
  {
    operation: 'listSpaces',
    form: 'of the owner',
    request: ({ people }) => ({ ...all, ownerId: people.ada.userId }),
    seen: seenSpaces,
    expected: '            P+U+E      P      E          P+U+E  no         P+U+E      P+U+E      P+U+E      P',
  },
  {
    operation: 'listSpaces',
    form: 'of another USER',
    request: ({ people }) => ({ ...all, ownerId: people.bob.userId }),
    seen: seenSpaces,
    expected: '            no         no     no         no     B          B          B          B          -',
  },
];

const IDENTITY_LISTS: readonly ListRow[] = [
  {
    operation: 'listUsers',
    form: 'all',
    request: () => all,
    seen: ({ users }, world) =>
      marked(
        usersOf(world),
        users.map(({ userId }: Json) => userId),
      ),
    expected: '            O          no     no         O      B          O+B+A+R    O+B+A+R    O+B+A+R    no',
  },
  {
    operation: 'listApiKeys',
    form: 'own',
    request: () => ({}),
    seen: ({ keys }, world) =>
      marked(
        usersOf(world),
        keys.map(({ userId }: Json) => userId),
      ),
    expected: '            O          no     no         O      B          A          R          R          no',
  },
];

/** What ROOT and an ADMIN own is shared. */
const TARGET_LISTS: readonly ListRow[] = TARGET_KINDS.flatMap((kind): ListRow[] => {
  const seen = (body: Json, { targets }: World) => {
    const { ada = '', bob = '', carl = '', root = '' } = targets.get(kind) ?? {};
    return marked(
      { O: ada, B: bob, A: carl, R: root },
      body[kind.members].map((target: Json) => target[kind.id]),
    );
  };
  return [
    {
      operation: kind.list,
      form: 'all',
      request: () => ({}),
      seen,
      expected: '          O+A+R      A+R    A+R        O+A+R  B+A+R      O+B+A+R    O+B+A+R    O+B+A+R    A+R',
    },
    {
      operation: kind.list,
      form: 'of the owner',
      request: ({ people }) => ({ ownerId: people.ada.userId }),
      seen,
      expected: '          O          -      -          O      -          O          O          O          -',
    },
    {
      operation: kind.list,
      form: 'of ROOT',
      request: ({ people }) => ({ ownerId: people.root.userId }),
      seen,
      expected: '          R          R      R          R      R          R          R          R          R',
    },
  ];
});

export const LIST_ROWS: readonly ListRow[] = [...SPACE_LISTS, ...IDENTITY_LISTS, ...TARGET_LISTS];

/** Lists as everybody and throws a table of what was not as expected. */
export async function judgeList(row: ListRow, world: World, wire: Wire): Promise<void> {
  const failures: string[][] = [];
  const words = row.expected.trim().split(/\s+/);
  if (words.length !== CALLERS.length) throw new Error(`${words.length} columns: ${row.expected}`);
  const expectations = [
    ...NOBODIES.map((nobody) => [nobody, 'UNAUTHENTICATED'] as const),
    ...CALLERS.map((caller, column) => [caller, words[column] === 'no' ? 'PERMISSION_DENIED' : words[column]] as const),
  ];
  await Promise.all(
    expectations.map(async ([caller, expected = '']) => {
      const answer = await wire.call(row.operation, row.request(world), { key: await world.keyOf(caller) });
      const got = answer.ok ? row.seen(answer.body, world).join('+') || '-' : answer.code;
      if (got !== expected) failures.push(['list', caller, expected, got]);
    }),
  );
  if (failures.length > 0) throw new Error(tableOf(failures));
}
