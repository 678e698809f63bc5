import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { Stage } from '../../support/stage.ts';
import type { Json, Wire } from '../../support/wire.ts';
import { freshMemory, freshSpace } from './subjects.ts';
import type { World } from './world.fixture.ts';

/** What one call says about several resources, and how a key fares when what it is about changes. */
interface Story {
  name: string;
  tell(world: World, stage: Stage): Promise<void>;
}

const codes = ({ results }: Json) => results.map(({ error }: Json) => error?.code ?? 200);

export const STORIES: readonly Story[] = [
  {
    name: 'the items of a batch are judged one by one',
    async tell(world, stage) {
      const { memories, spaces, people } = world;
      const as = people.bob.key;
      const memoryIds = [memories.private, memories.public, randomUUID()];
      expect(codes(await stage.ok('batchGetMemory', { memoryIds }, as))).toEqual([403, 200, 404]);
      expect(codes(await stage.ok('batchDeleteMemory', { memoryIds }, as))).toEqual([403, 403, 404]);
      const item = (spaceId: string) => ({ spaceId, contentType: 'text/plain', originalContent: 'x' });
      const requests = [spaces.private, spaces.public, spaces.bobs, randomUUID()].map(item);
      expect(codes(await stage.ok('batchCreateMemory', { requests }, as))).toEqual([403, 403, 200, 404]);
    },
  },
  {
    name: 'a read-only key gets a refusal for every item, and does nothing',
    async tell(world, stage) {
      const { memoryId, spaceId } = await freshMemory(world, 'private');
      const as = (await world.keyOf('read-only key')) ?? null;
      const memoryIds = [memoryId, randomUUID()];
      expect(codes(await stage.ok('batchGetMemory', { memoryIds }, as))).toEqual([200, 404]);
      expect(codes(await stage.ok('batchDeleteMemory', { memoryIds }, as))).toEqual([403, 404]);
      const byFilter = { requests: [{ filterSelector: { spaceId } }] };
      expect(codes(await stage.ok('batchDeleteMemory', byFilter, as))).toEqual([403]);
      await stage.ok('getMemory', { memoryId }, as);
    },
  },
  {
    name: 'a retrieval needs to read every space that it names',
    async tell({ spaces, people }, stage) {
      const over = (...ids: string[]) => ({ message: 'x', spaceKeys: ids.map((spaceId) => ({ spaceId })) });
      const both = over(spaces.public, spaces.private);
      await stage.events('retrieveMemory', both, people.ada.key);
      await stage.refused('retrieveMemory', both, 'PERMISSION_DENIED', { as: people.bob.key });
      await stage.events('retrieveMemory', over(spaces.public, spaces.bobs), people.bob.key);
      const withUnknown = over(spaces.public, randomUUID());
      await stage.refused('retrieveMemory', withUnknown, 'NOT_FOUND', { as: people.bob.key });
      const restrictions = { spaceIds: [spaces.private, spaces.public] };
      const as = await stage.key({ restrictions }, people.ada.key);
      await stage.events('retrieveMemory', both, as);
      await stage.refused('retrieveMemory', over(spaces.public, spaces.elsewhere), 'PERMISSION_DENIED', { as });
    },
  },
  {
    name: 'a key bound to a public space of another reads it as long as it is public',
    async tell(world, stage) {
      const { spaceId } = await freshSpace(world, 'public');
      const as = await stage.key({ restrictions: { spaceIds: [spaceId] } }, world.people.bob.key);
      const ids = async (request: Readonly<Record<string, unknown>>) =>
        (await stage.ok('listSpaces', request, as)).spaces.map((space: Json) => space.spaceId);
      await stage.ok('getSpace', { spaceId }, as);
      await stage.ok('listMemories', { spaceId }, as);
      expect(await ids({ publicRead: true })).toEqual([spaceId]);
      expect(await ids({})).toEqual([]);
      await stage.refused('updateSpace', { spaceId, name: 'taken' }, 'PERMISSION_DENIED', { as });
      await stage.ok('updateSpace', { spaceId, publicRead: false }, world.people.ada.key);
      await stage.refused('getSpace', { spaceId }, 'PERMISSION_DENIED', { as });
      await stage.refused('listMemories', { spaceId }, 'PERMISSION_DENIED', { as });
      expect(await ids({ publicRead: true })).toEqual([]);
      await stage.ok('deleteSpace', { spaceId }, world.people.ada.key);
      await stage.refused('getSpace', { spaceId }, 'NOT_FOUND', { as });
      expect(await ids({})).toEqual([]);
    },
  },
  {
    name: 'both restrictions of a key apply',
    async tell({ spaces, people }, stage) {
      const restrictions = { readOnly: true, spaceIds: [spaces.private] };
      const as = await stage.key({ restrictions }, people.ada.key);
      await stage.ok('getSpace', { spaceId: spaces.private }, as);
      const denied = { as };
      await stage.refused('getSpace', { spaceId: spaces.elsewhere }, 'PERMISSION_DENIED', denied);
      await stage.refused('updateSpace', { spaceId: spaces.private, name: 'new' }, 'PERMISSION_DENIED', denied);
      await stage.refused('deleteSpace', { spaceId: spaces.private }, 'PERMISSION_DENIED', denied);
      await stage.refused('getUser', {}, 'PERMISSION_DENIED', denied);
    },
  },
  {
    name: 'invalid fields are reported before missing permissions',
    async tell({ spaces, people }, stage) {
      const restricted = await stage.key(
        { restrictions: { readOnly: true, spaceIds: [spaces.elsewhere] } },
        people.ada.key,
      );
      for (const as of [restricted, people.bob.key]) {
        await stage.refused('updateSpace', { spaceId: spaces.private, name: '' }, 'INVALID_ARGUMENT', { as });
        await stage.refused('getApiKey', { apiKeyId: 'x' }, 'INVALID_ARGUMENT', { as });
        await stage.refused('retrieveMemory', { message: '', spaceKeys: [] }, 'INVALID_ARGUMENT', { as });
      }
    },
  },
];

/** Tells a story over one wire; what it needs is made with the keys of the world. */
export async function tell(story: Story, world: World, wire: Wire): Promise<void> {
  await story.tell(world, new Stage(wire, world.stage.server, world.people.root));
}
