import { beforeAll, describe, expect, test } from 'vitest';
import { ProviderType } from '../../../src/shared/gen/service/v1/common_pb.ts';
import { failure, sql, UNKNOWN_ID, useWorld } from '../identity.fixture.ts';

const world = useWorld();
let embedderId = '';
let foreign = '';
beforeAll(async () => {
  embedderId = await newEmbedder(16);
  foreign = await newEmbedder(16, world.bob);
});

async function newEmbedder(dimensionality: number, caller = world.ada, labels = {}): Promise<string> {
  const providerType = ProviderType.BUILTIN;
  const request = { displayName: 'Words', providerType, modelIdentifier: 'lexical-v1', dimensionality, labels };
  return (await world.call('createEmbedder', request, caller)).embedderId;
}

const merge = (labels: Record<string, string>) => ({ case: 'mergeLabels' as const, value: { labels } });
const replace = (labels: Record<string, string>) => ({ case: 'replaceLabels' as const, value: { labels } });

describe('create', () => {
  test('fills in defaults', async () => {
    const space = await world.call('createSpace', { name: 'house', embedderId }, world.ada);
    expect(space).toMatchObject({
      name: 'house',
      labels: {},
      publicRead: false,
      ownerId: world.ada.userId,
      createdById: world.ada.userId,
      updatedById: world.ada.userId,
      spaceEmbedders: [
        { spaceId: space.spaceId, embedderId, defaultRetrievalWeight: 1, createdById: world.ada.userId },
      ],
      defaultChunkingConfig: { strategy: { case: 'recursive', value: { chunkSize: 512, chunkOverlap: 64 } } },
    });
    expect([space.description, space.retentionDays]).toEqual([undefined, undefined]);
    expect(space.giveUpAfterMinutes).toBe(60);
    expect(await world.call('getSpace', { spaceId: space.spaceId }, world.ada)).toEqual(space);
  });

  test('keeps the given values, embedders in their order', async () => {
    const second = await newEmbedder(17);
    const request = {
      spaceId: '01980000-0000-7000-8000-0000000000b1',
      name: 'N'.repeat(255),
      description: 'about',
      labels: { team: 'home' },
      publicRead: true,
      retentionDays: 30,
      giveUpAfterMinutes: 1440,
      spaceEmbedders: [
        { embedderId: second, defaultRetrievalWeight: -0.25 },
        { embedderId, defaultRetrievalWeight: 0 },
      ],
      defaultChunkingConfig: { strategy: { case: 'sentence' as const, value: { maxChunkSize: 100 } } },
    };
    const made = await world.call('createSpace', request, world.ada);
    const space = await world.call('getSpace', { spaceId: request.spaceId }, world.ada);
    expect(space).toEqual(made);
    const { spaceEmbedders, defaultChunkingConfig, ...plain } = request;
    expect(space).toMatchObject(plain);
    expect(space.spaceEmbedders).toMatchObject(spaceEmbedders);
    expect(space.defaultChunkingConfig).toMatchObject(defaultChunkingConfig);
    const again = { ...request, name: 'other' };
    expect(await failure(world.call('createSpace', again, world.ada))).toMatch(/^ALREADY_EXISTS .*id/);
  });

  test('a name is unique per owner, by case, also when two come at once', async () => {
    const make = (name: string, caller = world.ada) => failure(world.call('createSpace', { name, embedderId }, caller));
    const outcomes = await Promise.all([make('twice'), make('twice'), make('twice')]);
    expect(outcomes.filter((outcome) => outcome === 'no failure')).toHaveLength(1);
    expect(outcomes.filter((outcome) => /^ALREADY_EXISTS .*name/.test(outcome))).toHaveLength(2);
    expect(await make('Twice')).toBe('no failure');
    expect(await make('twice', world.admin)).toBe('no failure');
  });

  test.each<[string, () => object, RegExp]>([
    [
      'both forms',
      () => ({ embedderId, spaceEmbedders: [{ embedderId }] }),
      /^INVALID_ARGUMENT .*embedderId: cannot be given together/,
    ],
    [
      'the same embedder twice and a weight that is not finite',
      () => ({ spaceEmbedders: [{ embedderId }, { embedderId, defaultRetrievalWeight: Number.NaN }] }),
      /spaceEmbedders\[1\]\.defaultRetrievalWeight: .*; spaceEmbedders\[1\]\.embedderId: is a duplicate/,
    ],
    [
      'a bad chunking config',
      () => ({
        embedderId,
        defaultChunkingConfig: { strategy: { case: 'recursive', value: { chunkSize: 5, chunkOverlap: 5 } } },
      }),
      /^INVALID_ARGUMENT .*defaultChunkingConfig\.recursive\.chunkOverlap: /,
    ],
    ['an unknown embedder', () => ({ embedderId: UNKNOWN_ID }), /^NOT_FOUND \| Embedder not found: /],
    ['an unknown owner', () => ({ embedderId, ownerId: UNKNOWN_ID }), /^NOT_FOUND \| User not found: /],
    ['another owner', () => ({ embedderId, ownerId: world.bob.userId }), /^PERMISSION_DENIED .*CREATE_SPACE_ANY/],
    ['an embedder of another user', () => ({ embedderId: foreign }), /^PERMISSION_DENIED .*READ_EMBEDDER_ANY/],
  ])('refuses %s', async (_, more, problem) => {
    const request = { name: 'bad', ...more() };
    expect(await failure(world.call('createSpace', request, world.ada))).toMatch(problem);
    expect(await sql(world.db, `select from space where name = 'bad'`)).toHaveLength(0);
  });

  test('an admin creates spaces for other users', async () => {
    const request = { name: 'given', embedderId, ownerId: world.bob.userId };
    const space = await world.call('createSpace', request, world.admin);
    expect(space).toMatchObject({ ownerId: world.bob.userId, createdById: world.admin.userId });
  });

  test('without an embedder the oldest default one of ROOT is used', async () => {
    await sql(world.db, `delete from embedder where labels @> '{"default": "true"}'`);
    const make = (name: string) => world.call('createSpace', { name }, world.ada);
    expect(await failure(make('default'))).toMatch(/^INVALID_ARGUMENT .*spaceEmbedders: is required/);
    await newEmbedder(30, world.admin, { default: 'true' });
    await newEmbedder(31, world.root, { default: 'false' });
    expect(await failure(make('default'))).toMatch(/^INVALID_ARGUMENT/);
    const oldest = await newEmbedder(32, world.root, { default: 'true' });
    await newEmbedder(33, world.root, { default: 'true' });
    expect((await make('default')).spaceEmbedders).toMatchObject([{ embedderId: oldest, defaultRetrievalWeight: 1 }]);
  });
});

describe('read', () => {
  test('a space is read by its owner, by admins, and by all when it is public', async () => {
    const { spaceId } = await world.call('createSpace', { name: 'read me', embedderId }, world.ada);
    const read = (caller = world.bob) => failure(world.call('getSpace', { spaceId }, caller));
    expect(await read(world.ada)).toBe('no failure');
    expect(await read(world.admin)).toBe('no failure');
    expect(await read()).toMatch(/^PERMISSION_DENIED .*READ_SPACE_ANY/);
    await world.call('updateSpace', { spaceId, publicRead: true }, world.ada);
    expect(await read()).toBe('no failure');
    expect(await failure(world.call('updateSpace', { spaceId, name: 'x' }, world.bob))).toMatch(/UPDATE_SPACE_ANY$/);
    expect(await failure(world.call('getSpace', { spaceId: UNKNOWN_ID }, world.bob))).toBe(
      `NOT_FOUND | Space not found: ${UNKNOWN_ID}`,
    );
  });

  test('a space-bound key reaches its spaces and no others', async () => {
    const make = (name: string) => world.call('createSpace', { name, embedderId }, world.ada);
    const [mine, other] = [await make('mine'), await make('other')];
    const bound = await world.keyFor(world.ada, { restrictions: { spaceIds: [mine.spaceId] } });
    expect((await world.call('getSpace', { spaceId: mine.spaceId }, bound)).name).toBe('mine');
    expect(await failure(world.call('getSpace', { spaceId: other.spaceId }, bound))).toMatch(/^PERMISSION_DENIED/);
    expect(await failure(world.call('deleteSpace', { spaceId: other.spaceId }, bound))).toMatch(/^PERMISSION_DENIED/);
    expect(await failure(make('third').then(() => world.call('createSpace', { name: 'no' }, bound)))).toMatch(
      /^PERMISSION_DENIED/,
    );
  });
});

describe('update', () => {
  test('changes the given fields alone', async () => {
    const before = await world.call('createSpace', { name: 'changing', embedderId, labels: { a: '1' } }, world.ada);
    const { spaceId } = before;
    const update = (more: object, caller = world.ada) => world.call('updateSpace', { spaceId, ...more }, caller);
    expect(await update({})).toEqual(before);
    const after = await update(
      { name: 'changed', retentionDays: 7, giveUpAfterMinutes: 5, labelUpdate: merge({ b: '2' }) },
      world.admin,
    );
    expect(after).toMatchObject({
      name: 'changed',
      publicRead: false,
      retentionDays: 7,
      giveUpAfterMinutes: 5,
      labels: { a: '1', b: '2' },
      createdById: world.ada.userId,
      updatedById: world.admin.userId,
    });
    const cleared = await update({ retentionDays: 0, labelUpdate: replace({}) });
    expect([cleared.retentionDays, cleared.labels, cleared.name]).toEqual([undefined, {}, 'changed']);
    expect(await update({ name: 'changed' })).toMatchObject({ name: 'changed', giveUpAfterMinutes: 5 });
    expect(await update({ giveUpAfterMinutes: 1 })).toMatchObject({ giveUpAfterMinutes: 1 });
  });

  test('keeps names unique and labels within their limit', async () => {
    const labels = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`k${i}`, '']));
    const { spaceId } = await world.call('createSpace', { name: 'first', embedderId, labels }, world.ada);
    await world.call('createSpace', { name: 'second', embedderId }, world.ada);
    const update = (more: object) => failure(world.call('updateSpace', { spaceId, ...more }, world.ada));
    expect(await update({ name: 'second' })).toMatch(/^ALREADY_EXISTS .*name/);
    expect(await update({ labelUpdate: merge({ more: '' }) })).toMatch(/^INVALID_ARGUMENT .*mergeLabels: .*21/);
    expect(await update({ labelUpdate: merge({ k0: 'new' }) })).toBe('no failure');
    const unknown = { spaceId: UNKNOWN_ID, name: 'x' };
    expect(await failure(world.call('updateSpace', unknown, world.ada))).toMatch(/^NOT_FOUND/);
  });

  test('concurrent merges lose nothing', async () => {
    const { spaceId } = await world.call('createSpace', { name: 'merged', embedderId }, world.ada);
    const keys = ['a', 'b', 'c', 'd', 'e'];
    await Promise.all(
      keys.map((key) => world.call('updateSpace', { spaceId, labelUpdate: merge({ [key]: key }) }, world.ada)),
    );
    const { labels } = await world.call('getSpace', { spaceId }, world.ada);
    expect(Object.keys(labels).sort()).toEqual(keys);
  });
});
