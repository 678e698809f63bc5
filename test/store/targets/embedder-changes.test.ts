import { describe, expect, test } from 'vitest';
import { embedderKind } from '../../../src/server/service/targets/kinds.ts';
import { type EmbedderRow, embedderStore } from '../../../src/server/store/embedders.ts';
import { Modality } from '../../../src/shared/gen/service/v1/common_pb.ts';
import { DistributionType } from '../../../src/shared/gen/service/v1/embedder_pb.ts';
import { inline, openAi, reference, vectorType } from '../embedder.fixture.ts';
import { failure, SECRETS_KEY, signal, sql, UNKNOWN_ID, useWorld } from '../identity.fixture.ts';

const world = useWorld();

async function row(embedderId: string): Promise<EmbedderRow> {
  const [found] = await embedderStore.select(world.db.main, [embedderId], { signal });
  if (found === undefined) throw new Error(`there is no embedder ${embedderId}`);
  return found;
}

describe('update', () => {
  const newSpace = (embedderId: string) => world.call('createSpace', { name: embedderId, embedderId }, world.ada);

  test('changes the given fields and keeps the others, credentials included', async () => {
    const request = openAi({
      credentials: inline('first'),
      maxSequenceLength: 512,
      supportedModalities: [Modality.IMAGE],
    });
    const before = await world.call('createEmbedder', request, world.ada);
    const { embedderId } = before;
    const update = (more: object) => world.call('updateEmbedder', { embedderId, ...more }, world.ada);
    expect(await update({})).toEqual(before);
    const after = await update({
      displayName: 'New name',
      endpointUrl: 'https://new.example.org',
      labelUpdate: { case: 'mergeLabels', value: { labels: { a: 'b' } } },
    });
    expect(after).toMatchObject({
      displayName: 'New name',
      endpointUrl: 'https://new.example.org',
      modelIdentifier: before.modelIdentifier,
      maxSequenceLength: 512,
      supportedModalities: [Modality.IMAGE],
      labels: { a: 'b' },
    });
    const headers = async () => embedderKind.record(await row(embedderId), SECRETS_KEY).credentials?.(signal);
    expect(await headers()).toEqual({ Authorization: 'Bearer first' });
    await update({ credentials: inline('second') });
    expect(await headers()).toEqual({ Authorization: 'Bearer second' });
    expect(await failure(update({ credentials: {} }))).toMatch(/^INVALID_ARGUMENT .*credentials\.kind/);
    expect(await failure(update({ credentials: reference('env://KEY') }))).toMatch(/UPDATE_EMBEDDER_ANY$/);
    expect(await failure(update({ endpointUrl: 'http://169.254.1.1' }))).toMatch(/^INVALID_ARGUMENT/);
  });

  test('updatedAt, the key of the client cache, increases with each change, whatever the clock says', async () => {
    const { embedderId } = await world.call('createEmbedder', openAi(), world.ada);
    await sql(world.db, `update embedder set updated_at = now() + interval '1 hour' where embedder_id = $1`, [
      embedderId,
    ]);
    const before = await row(embedderId);
    await world.call('updateEmbedder', { embedderId, displayName: 'new' }, world.ada);
    const after = await row(embedderId);
    expect(after.updatedAt).toBeGreaterThan(before.updatedAt);
  });

  test('does not move a secret that another user stored to another address', async () => {
    const request = openAi({ credentials: inline('of the admin'), ownerId: world.ada.userId });
    const { embedderId } = await world.call('createEmbedder', request, world.admin);
    const move = (more: object, caller = world.ada) =>
      failure(world.call('updateEmbedder', { embedderId, endpointUrl: 'https://ada.example.org', ...more }, caller));
    const refusal = /^PERMISSION_DENIED .*it cannot be sent to a different address \| give credentials together with/;
    expect(await move({})).toMatch(refusal);
    expect(await move({ endpointUrl: undefined, apiPath: '/../x' })).toMatch(refusal);
    expect(await move({ endpointUrl: undefined, displayName: 'Mine' })).toBe('no failure');
    expect(await move({})).toMatch(refusal);
    expect(await move({ credentials: inline('of ada') })).toBe('no failure');
    expect(await move({ endpointUrl: 'https://moved.example.org' }, world.admin)).toBe('no failure');
    expect(await move({})).toBe('no failure');
    await sql(world.db, `update embedder set credentials = credentials - 'givenById' where embedder_id = $1`, [
      embedderId,
    ]);
    expect(await move({ endpointUrl: 'https://older.example.org' })).toMatch(refusal);
  });

  test('refuses a duplicate of another target', async () => {
    const first = await world.call('createEmbedder', openAi(), world.ada);
    const second = await world.call('createEmbedder', openAi(), world.ada);
    const request = { embedderId: second.embedderId, modelIdentifier: first.modelIdentifier };
    expect(await failure(world.call('updateEmbedder', request, world.ada))).toMatch(/^ALREADY_EXISTS/);
  });

  test('fields that determine the vectors are immutable while a space uses it', async () => {
    const { embedderId, modelIdentifier } = await world.call('createEmbedder', openAi(), world.ada);
    const update = (more: object) => world.call('updateEmbedder', { embedderId, ...more }, world.ada);
    expect((await update({ dimensionality: 16, modelIdentifier: 'other' })).dimensionality).toBe(16);
    expect(await vectorType(world.db, embedderId)).toBe('halfvec(16)');
    expect(await failure(update({ distributionType: DistributionType.SPARSE }))).toMatch(/^UNIMPLEMENTED/);

    const space = await newSpace(embedderId);
    const sparse = { distributionType: DistributionType.SPARSE };
    for (const change of [{ modelIdentifier }, { dimensionality: 8 }, sparse]) {
      expect(await failure(update(change))).toMatch(/^FAILED_PRECONDITION .*cannot be changed while a space uses/);
    }
    const same = { modelIdentifier: 'other', dimensionality: 16, distributionType: DistributionType.DENSE };
    expect(await failure(update({ ...same, endpointUrl: 'https://moved.example.org' }))).toBe('no failure');

    await world.call('deleteSpace', { spaceId: space.spaceId }, world.ada);
    expect(await failure(update({ dimensionality: 8 }))).toBe('no failure');
  });

  test('needs the owner or the _ANY form, also for a shared one', async () => {
    const shared = await world.call('createEmbedder', openAi(), world.admin);
    const request = { embedderId: shared.embedderId, displayName: 'mine' };
    expect(await failure(world.call('updateEmbedder', request, world.ada))).toMatch(/UPDATE_EMBEDDER_ANY$/);
    expect(await failure(world.call('updateEmbedder', request, world.root))).toBe('no failure');
    const unknown = { embedderId: UNKNOWN_ID, displayName: 'x' };
    expect(await failure(world.call('updateEmbedder', unknown, world.ada))).toMatch(/^NOT_FOUND/);
  });
});

describe('delete', () => {
  test('drops the table of vectors, and is refused while a space uses it', async () => {
    const { embedderId } = await world.call('createEmbedder', openAi(), world.ada);
    const remove = (caller = world.ada) => failure(world.call('deleteEmbedder', { embedderId }, caller));
    const space = await world.call('createSpace', { name: 'uses it', embedderId }, world.ada);
    expect(await remove(world.bob)).toMatch(/DELETE_EMBEDDER_ANY$/);
    expect(await remove()).toMatch(/^FAILED_PRECONDITION/);
    expect(await vectorType(world.db, embedderId)).toBe('halfvec(8)');
    await world.call('deleteSpace', { spaceId: space.spaceId }, world.ada);
    expect(await remove()).toBe('no failure');
    expect(await vectorType(world.db, embedderId)).toBeUndefined();
    expect(await remove()).toBe(`NOT_FOUND | Embedder not found: ${embedderId}`);
  });

  test('of a concurrent delete and create of a space with it one succeeds', async () => {
    const { embedderId } = await world.call('createEmbedder', openAi(), world.ada);
    const [made, removed] = await Promise.all([
      failure(world.call('createSpace', { name: 'race', embedderId }, world.ada)),
      failure(world.call('deleteEmbedder', { embedderId }, world.ada)),
    ]);
    if (made === 'no failure') expect(removed).toMatch(/^FAILED_PRECONDITION/);
    else expect([made, removed]).toEqual([`NOT_FOUND | Embedder not found: ${embedderId}`, 'no failure']);
  });
});
