import { randomBytes } from 'node:crypto';
import type { Pool } from '../store/db.ts';
import { settleServerState } from '../store/server-state.ts';

const KEY_BYTES = 32;

/** The key of page tokens, shared by all servers on the database: made by the first one that asks. */
export async function loadPageTokenKey(pool: Pool, signal: AbortSignal): Promise<Uint8Array> {
  const proposal = randomBytes(KEY_BYTES).toString('base64');
  const settled = await settleServerState(pool, 'page_token_key', proposal, { signal });
  const key = Buffer.from(typeof settled === 'string' ? settled : '', 'base64');
  if (key.length !== KEY_BYTES) throw new Error('server_state holds an unusable page_token_key');
  return key;
}
