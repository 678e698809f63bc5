import { beforeAll, expect } from 'vitest';
import { buildOnce, moveOnce } from '../../../src/server/service/ingest/promotion-task.ts';
import type { Db } from '../../../src/server/store/db.ts';
import { selectSpaceEmbedders } from '../../../src/server/store/space-embedders.ts';
import { segmentTable, sharedPartition } from '../../../src/server/store/vector-tables.ts';
import { signal, sql } from '../identity.fixture.ts';
import { statusOf, useMemoryWorld } from '../memory.fixture.ts';
import { promoteOnce } from '../promote.fixture.ts';

/** A space is large beyond this many vectors here. */
const LIMIT = 60;
const CHUNKS = 50;

const chunkingConfig = { strategy: { case: 'recursive' as const, value: { chunkSize: 9 } } };

/** A world in which spaces are soon large, with what makes them grow and what looks at where their vectors are. */
export function usePromotion() {
  const world = useMemoryWorld();
  let small: Db;
  beforeAll(async () => {
    small = { ...world.db, capabilities: { ...world.db.capabilities, exactScanLimit: LIMIT } };
    world.ingest.start();
  });

  /** Takes one step for every large space; false when nothing is left to do. */
  const step = (observe?: { vectorsOutside(count: number): void }) =>
    promoteOnce({ db: small, log: world.deps.log, ...(observe === undefined ? {} : { observe }) }, signal);

  return {
    world,
    step,
    /** Takes one short step for every large space. */
    move: (seen?: Map<string, number>) => moveOnce({ db: small, log: world.deps.log }, signal, seen),
    /** Takes one step for every unfinished segment. */
    build: () => buildOnce({ db: small, log: world.deps.log }, signal),
    async promote(): Promise<void> {
      while (await step());
    },

    /** Stores a memory of 50 chunks. */
    async grow(spaceId: string, prefix: string): Promise<string> {
      const words = Array.from({ length: CHUNKS }, (_, index) => `${prefix}${String(index).padStart(4, '0')}`);
      const { memoryId } = await world.remember(spaceId, words.join(' '), { chunkingConfig });
      expect(statusOf(await world.processed(memoryId))).toBe('COMPLETED');
      return memoryId;
    },

    /** How many vectors of a space are outside its segments and in them, and how many it counts. */
    async placesOf(spaceId: string) {
      const [space] = await selectSpaceEmbedders(world.db.main, [spaceId]);
      if (space === undefined) throw new Error('the space has no embedder');
      const { embedderId, layout, vectorCount: counted } = space;
      const count = async (table: string) => {
        const [row] = await sql<{ count: number }>(world.db, `select count(*) from ${table} where space_id = $1`, [
          spaceId,
        ]);
        return row?.count ?? 0;
      };
      const tables = layout.segments.map(({ number }) => segmentTable({ spaceId, embedderId }, number));
      const segments = await Promise.all(tables.map(count));
      return { embedderId, layout, tables, segments, counted, shared: await count(sharedPartition(embedderId)) };
    },

    async index(name: string): Promise<{ valid: boolean; definition: string } | undefined> {
      const [row] = await sql<{ valid: boolean; definition: string }>(
        world.db,
        `select indisvalid as valid, pg_get_indexdef(indexrelid) as definition from pg_index
         where indexrelid = to_regclass($1)`,
        [name],
      );
      return row;
    },
  };
}
