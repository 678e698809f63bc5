import type { Queryable, StatementOptions } from './db.ts';
import { statement } from './statement.ts';

const INSERT = statement({
  name: 'server_state.insert',
  purpose: 'Stores a value that all servers share, unless one is stored',
  text: 'insert into server_state (key, value) values ($1, $2::jsonb) on conflict (key) do nothing',
});

const SELECT = statement({
  name: 'server_state.select',
  purpose: 'A value that all servers share',
  text: 'select value from server_state where key = $1',
});

/** The value that all servers on this database share under the key: `proposal` if none was stored, else the stored one. */
export async function settleServerState(
  q: Queryable,
  key: string,
  proposal: string,
  options?: StatementOptions,
): Promise<unknown> {
  const known = await readServerState(q, key, options);
  if (known !== undefined) return known;
  await q.execute(INSERT, [key, JSON.stringify(proposal)], options);
  return readServerState(q, key, options);
}

/** The JSON value of the key; undefined if none is stored. */
export async function readServerState(q: Queryable, key: string, options?: StatementOptions): Promise<unknown> {
  const [row] = await q.query<{ value: unknown }>(SELECT, [key], options);
  return row?.value;
}
