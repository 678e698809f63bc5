import { beforeEach, describe, expect, test } from 'vitest';
import { keyHashes } from '../../../src/server/service/api-keys/raw-key.ts';
import { selectUsableKey } from '../../../src/server/store/api-keys.ts';
import type { Queryable } from '../../../src/server/store/db.ts';
import { selectSpacesToSearch } from '../../../src/server/store/embedders.ts';
import { ServiceError } from '../../../src/shared/errors.ts';
import { sql } from '../identity.fixture.ts';
import { useRetrievalWorld } from './retrieval.fixture.ts';

const DIMENSIONS = 16;
const world = useRetrievalWorld(DIMENSIONS);

let embedderId: string;
let spaceId: string;
let apiKeyId: string;
let rawApiKey: string;
beforeEach(async () => {
  embedderId = await world.embedder(DIMENSIONS);
  spaceId = await world.space([embedderId], { publicRead: true });
  const made = await world.call('createApiKey', {}, world.ada);
  apiKeyId = made.apiKeyMetadata?.apiKeyId ?? '';
  rawApiKey = made.rawApiKey;
});

/** Another value of the same type. */
const OTHER: Readonly<Record<string, (column: string) => string>> = {
  text: (column) => `coalesce(${column}, '') || 'x'`,
  'timestamp with time zone': (column) => `coalesce(${column}, now()) + interval '1 day'`,
  jsonb: () => `'{"other": "1"}'`,
  boolean: (column) => `${column} is not true`,
  integer: (column) => `coalesce(${column}, 1) + 1`,
  smallint: (column) => `${column} + 1`,
  bigint: (column) => `${column} + 1`,
  'double precision': (column) => `${column} + 1`,
  bytea: (column) => `sha256(${column})`,
  uuid: () => `'${world.root.userId}'`,
};

describe('a version', () => {
  const undo = new Error('undo');
  const COUNTS = ['vectorCount', 'isUseDue'];
  /** What is learned of the space and the key, and their versions. */
  async function learned(tx: Queryable) {
    const space = (await selectSpacesToSearch(tx, [spaceId])).get(spaceId);
    const known = await selectUsableKey(tx, keyHashes(rawApiKey));
    const text = (value: object | undefined) =>
      JSON.stringify(value ?? null, (name, part: unknown) =>
        COUNTS.includes(name) || /[vV]ersion$/.test(name) ? undefined : part,
      );
    return { space: [text(space), space?.version], key: [text(known), known?.version] };
  }

  test.each([
    ['api_key', () => `api_key_id = '${apiKeyId}'`],
    ['app_user', () => `user_id = '${world.ada.userId}'`],
    ['space', () => `space_id = '${spaceId}'`],
    ['space_embedder', () => `space_id = '${spaceId}'`],
    ['embedder', () => `embedder_id = '${embedderId}'`],
  ])('changes with every column of %s that is learned', async (table, where) => {
    const columns = await sql<{ name: string; type: string }>(
      world.db,
      `select column_name as name, data_type as type from information_schema.columns
       where table_name = $1 and table_schema = current_schema() and column_name not in ('version')`,
      [table],
    );
    const seen: string[] = [];
    const unnoticed: string[] = [];
    for (const { name, type } of columns) {
      const other = name === 'role' ? () => `'ADMIN'` : name === 'status' ? () => `'INACTIVE'` : OTHER[type];
      const value =
        type === 'ARRAY' ? (name === 'space_ids' ? `array['${spaceId}'::uuid]` : `array['x']`) : other?.(name);
      if (value === undefined) throw new Error(`no other value of ${type}`);
      const work = world.db.main.withTx(async (tx) => {
        await tx.script('set constraints all deferred');
        const before = await learned(tx);
        await tx.script(`update ${table} set ${name} = ${value} where ${where()}`);
        const after = await learned(tx);
        for (const part of ['space', 'key'] as const) {
          if (before[part][0] === after[part][0]) continue;
          seen.push(name);
          if (before[part][1] === after[part][1]) unnoticed.push(name);
        }
        throw undo;
      });
      // Keys of other tables forbid the change of some columns, which therefore cannot happen.
      const outcome: unknown = await work.catch((error: unknown) => error);
      if (outcome !== undo) expect(outcome).toBeInstanceOf(ServiceError);
    }
    expect(unnoticed).toEqual([]);
    expect(seen.length).toBeGreaterThan(0);
  });

  test('is another one for a space that was made anew under the same id', async () => {
    const before = (await selectSpacesToSearch(world.db.main, [spaceId])).get(spaceId)?.version;
    await world.call('deleteSpace', { spaceId }, world.ada);
    await world.space([embedderId], { spaceId, publicRead: false });
    expect((await selectSpacesToSearch(world.db.main, [spaceId])).get(spaceId)?.version).not.toBe(before);
  });
});
