import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { invalidFields } from '../../shared/errors.ts';
import type { CallContext } from '../context.ts';
import type { Pool } from '../store/db.ts';
import type { PagePosition } from '../store/list-query.ts';
import { settleServerState } from '../store/server-state.ts';
import { callerOf } from './permission.ts';

/** What a token belongs to: it continues this list and no other. */
export interface PageScope {
  operation: string;
  userId: string;
  /** Everything that selects and orders the items; JSON values. */
  filters: Readonly<Record<string, unknown>>;
}

export interface PageTokens {
  encode(scope: PageScope, position: PagePosition): string;
  /** Throws INVALID_ARGUMENT for a token that was not made for this scope. */
  decode(scope: PageScope, token: string): PagePosition;
}

const TAG_BYTES = 16;

/**
 * Tokens are the position and a MAC over it and its scope, in URL-safe Base64. Nothing is stored: any server that knows
 * the key continues a list that another one began.
 */
export function createPageTokens(key: Uint8Array): PageTokens {
  const tagOf = (scope: PageScope, position: string) =>
    createHmac('sha256', key)
      .update(JSON.stringify([scope.operation, scope.userId, sorted(scope.filters), position]))
      .digest()
      .subarray(0, TAG_BYTES);
  return {
    encode(scope, position) {
      const text = JSON.stringify(position);
      return Buffer.concat([tagOf(scope, text), Buffer.from(text)]).toString('base64url');
    },
    decode(scope, token) {
      const bytes = Buffer.from(token, 'base64url');
      const text = bytes.subarray(TAG_BYTES).toString();
      const isWhole = bytes.length > TAG_BYTES && bytes.toString('base64url') === token;
      if (!isWhole || !timingSafeEqual(bytes.subarray(0, TAG_BYTES), tagOf(scope, text))) {
        throw invalidFields([{ path: 'nextToken', problem: 'does not belong to this list' }]);
      }
      return JSON.parse(text) as PagePosition;
    },
  };
}

/** The same value with the members of every object in order of their names, so that equal filters are equal as text. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([name, member]) => [name, sorted(member)]);
}

/** One page as a request asks for it. */
export interface Page {
  /** Rows to read: one more than the page shows, which tells whether another page follows. */
  limit: number;
  after: PagePosition | undefined;
  /**
   * The items of the page, and the token of the next one if there is one. `found` is the number of rows that exist,
   * when the page had to end before the last of them.
   */
  close<Row>(
    rows: readonly Row[],
    positionOf: (row: Row) => PagePosition,
    found?: number,
  ): { items: Row[]; nextToken?: string };
}

const DEFAULT_PAGE = 50;

/** Throws INVALID_ARGUMENT for a `nextToken` that belongs to another caller, list, filter or order. */
export function openPage(
  tokens: PageTokens,
  context: CallContext,
  request: { maxResults?: number | undefined; nextToken?: string | undefined },
  filters: PageScope['filters'],
): Page {
  const scope = { operation: context.operation.name, userId: callerOf(context).userId, filters };
  const size = request.maxResults ?? DEFAULT_PAGE;
  const { nextToken = '' } = request;
  return {
    limit: size + 1,
    after: nextToken === '' ? undefined : tokens.decode(scope, nextToken),
    close(rows, positionOf, found = rows.length) {
      const items = rows.slice(0, size);
      const last = items.at(-1);
      if (found <= items.length || last === undefined) return { items };
      return { items, nextToken: tokens.encode(scope, positionOf(last)) };
    },
  };
}

const KEY_BYTES = 32;

/** The key of page tokens, shared by all servers on the database and created by the first one. */
export async function loadPageTokenKey(pool: Pool, signal: AbortSignal): Promise<Uint8Array> {
  const proposal = randomBytes(KEY_BYTES).toString('base64');
  const settled = await settleServerState(pool, 'page_token_key', proposal, { signal });
  const key = Buffer.from(typeof settled === 'string' ? settled : '', 'base64');
  if (key.length !== KEY_BYTES) throw new Error('server_state holds an unusable page_token_key');
  return key;
}
