import { expect, test } from 'vitest';
import { InsertGroups } from '../../../src/server/service/memories/insert-groups.ts';
import { insertMemories } from '../../../src/server/store/memories.ts';
import type { MemoryRow } from '../../../src/server/store/memory-row.ts';
import { signal } from '../identity.fixture.ts';
import { useMemoryWorld } from '../memory.fixture.ts';
import { content, idsOf, insertAll, newMemoryOf } from './insert-groups.fixture.ts';

const world = useMemoryWorld();

// With one session no other transaction runs meanwhile.
test.each([0, 2])(
  'creates that arrive together do not wait for one whose id another transaction has taken, number %i',
  async (place) => {
    const spaceId = await world.space();
    const newMemory = () => newMemoryOf({ spaceId, createdById: world.ada.userId });
    const taken = newMemory();
    const others = Array.from({ length: 40 }, newMemory);
    const groups = new InsertGroups(world.db.main);
    let ofTaken: Promise<MemoryRow | undefined> | undefined;
    await world.db.background.withTx(async (tx) => {
      await insertMemories(tx, [{ memory: { ...taken, spaceId: await world.space() }, content }]);
      const before = insertAll(groups, others.slice(0, place));
      ofTaken = groups.insert(taken, content, signal);
      ofTaken.catch(() => undefined);
      const outcomes = [...(await before), ...(await insertAll(groups, others.slice(place)))];
      expect(idsOf(outcomes)).toEqual(others.map(({ memoryId }) => memoryId));
    });
    await expect(ofTaken).rejects.toMatchObject({ code: 'ALREADY_EXISTS' });
  },
);
