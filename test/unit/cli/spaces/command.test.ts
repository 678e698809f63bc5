import { expect, test } from 'vitest';
import { invalidFields } from '../../../../src/shared/errors.ts';
import { KeepStrategy, LengthMeasurement, SpaceService } from '../../../../src/shared/gen/service/v1/space_pb.ts';
import { UserService } from '../../../../src/shared/gen/service/v1/user_pb.ts';
import { refusal } from '../../../support/client/grpc-failure.fixture.ts';
import type { Handlers } from '../../../support/client/grpc-server.fixture.ts';
import { useService } from '../service.fixture.ts';

const SPACE = '01980000-0000-7000-8000-0000000000b1';
const EMBEDDER = '01980000-0000-7000-8000-0000000000c1';
const ME = '01980000-0000-7000-8000-000000000001';

const start = useService([SpaceService, UserService]);

async function against(unary: NonNullable<Handlers['unary']>) {
  const { server, svc } = await start({ unary });
  return { server, svc: (...args: string[]) => svc(['spaces', ...args]) };
}

const words = (text: string): string[] => text.split(' ');

test('create sends every flag as its field', async () => {
  const { server, svc } = await against({ CreateSpace: () => ({ spaceId: SPACE, name: 'house' }) });
  const embedders = words(`--embedder ${EMBEDDER}=-0.5 --embedder ${ME}`);
  const fields = words(
    `--public-read --retention-days 30 --give-up-after 5 --owner ${ME} --label team=home --label a=b=c --id ${SPACE}`,
  );
  const chunks = words('--chunk-size 200 --chunk-overlap 20 --separator \\n --keep start --length tokens');
  expect((await svc('create', 'house', ...embedders, ...fields, ...chunks, '--description', 'notes')).code).toBe(0);
  await svc('create', 'plain');
  const [full, plain] = server.calls.map(({ request }) => request);
  expect(full).toMatchObject({
    name: 'house',
    description: 'notes',
    spaceEmbedders: [{ embedderId: EMBEDDER, defaultRetrievalWeight: -0.5 }, { embedderId: ME }],
    publicRead: true,
    retentionDays: 30,
    giveUpAfterMinutes: 5,
    ownerId: ME,
    labels: { team: 'home', a: 'b=c' },
    spaceId: SPACE,
    defaultChunkingConfig: {
      strategy: {
        case: 'recursive',
        value: {
          chunkSize: 200,
          chunkOverlap: 20,
          separators: ['\n'],
          keepStrategy: KeepStrategy.KEEP_START,
          lengthMeasurement: LengthMeasurement.TOKEN_COUNT,
        },
      },
    },
  });
  const optional = ['publicRead', 'retentionDays', 'giveUpAfterMinutes', 'ownerId', 'spaceId', 'description'];
  for (const field of [...optional, 'defaultChunkingConfig']) {
    expect(plain).not.toHaveProperty(field);
  }
  expect((await svc('create', 'x', '--embedder', `${EMBEDDER}=much`)).code).toBe(64);
});

test('create says which flag is missing where there is no default embedder', async () => {
  const { svc } = await against({
    CreateSpace: () => {
      throw refusal(invalidFields([{ path: 'space_embedders', problem: 'worded in any way' }]));
    },
  });
  const { code, stderr } = await svc('create', 'house');
  expect(code).toBe(65);
  expect(stderr).toBe(
    'svc: The space needs an embedder\n  there is no default embedder\n  Name one with --embedder ID, see svc embedders list; or make one: svc embedders create --help\n',
  );
  expect((await svc('create', 'house', '--embedder', EMBEDDER)).stderr).toContain('Request has 1 invalid field');
});

test('list sends its filters and its order; names go from A to Z unless told otherwise', async () => {
  const { server, svc } = await against({ ListSpaces: () => ({}) });
  const filters = ['--name', 'proj*', '--owner', ME, '--label', 'team=home', '--limit', '5'];
  expect((await svc('list', ...filters, '--sort', 'updated', '--order', 'asc')).stderr).toBe(
    'No space matches. All of them: svc spaces list\n',
  );
  await svc('list', '--sort', 'name');
  await svc('list', '--sort', 'name', '--order', 'desc');
  await svc('list', '--public');
  expect(server.calls.map(({ request }) => request)).toMatchObject([
    { nameFilter: 'proj*', ownerId: ME, label: { team: 'home' }, maxResults: 5, sortBy: 'updated_time', sortOrder: 1 },
    { sortBy: 'name', sortOrder: 1 },
    { sortBy: 'name', sortOrder: 2 },
    { publicRead: true, sortOrder: 2 },
  ]);
  expect((await svc('list', '--all', '--limit', '5')).code).toBe(64);
});

test('list of the public spaces is that of everyone', async () => {
  const { server, svc } = await against({ ListSpaces: () => ({}) });
  expect(await svc('list', '--public', '--owner', ME)).toMatchObject({
    code: 64,
    stderr: expect.stringContaining('Give --public or --owner, not both'),
  });
  expect(server.calls).toEqual([]);
});

test('update sends the given fields', async () => {
  const { server, svc } = await against({ UpdateSpace: () => ({ spaceId: SPACE, name: 'home' }) });
  await svc(
    'update',
    SPACE,
    '--name',
    'home',
    '--public-read',
    'false',
    '--merge-labels',
    'a=b',
    '--retention-days',
    '0',
    '--give-up-after',
    '1440',
  );
  expect(server.calls[0]?.request).toMatchObject({
    spaceId: SPACE,
    name: 'home',
    publicRead: false,
    labelUpdate: { case: 'mergeLabels', value: { labels: { a: 'b' } } },
    retentionDays: 0,
    giveUpAfterMinutes: 1440,
  });
  expect((await svc('update', SPACE, '--give-up-after', '1441')).stderr).toContain('from 1 to 1440');
  expect((await svc('update', SPACE, '--merge-labels', 'a=b', '--replace-labels', 'c=d')).code).toBe(64);
});

test('an unknown name leads to the lists', async () => {
  const { svc } = await against({ GetUser: () => ({ userId: ME }), ListSpaces: () => ({}) });
  expect(await svc('get', 'nowhere')).toMatchObject({
    code: 66,
    stderr:
      'svc: Space not found: nowhere\n  none of your spaces and no public space has this name\n  See your spaces: svc spaces list; public ones: svc spaces list --public\n',
  });
});

test('a mistyped name gets a suggestion', async () => {
  const { svc } = await against({
    GetUser: () => ({ userId: ME }),
    ListSpaces: ({ request }) =>
      'nameFilter' in request && request.nameFilter !== undefined
        ? {}
        : { spaces: [{ name: 'house' }, { name: 'work' }] },
  });
  const { code, stderr } = await svc('get', 'huose');
  expect(code).toBe(66);
  expect(stderr).toContain('svc: Space not found: huose\n  Did you mean house?\n');
});
