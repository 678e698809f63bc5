import { getEventListeners, setMaxListeners } from 'node:events';
import { create, type DescMethodUnary, type MessageInitShape, type MessageShape } from '@bufbuild/protobuf';
import { expect } from 'vitest';
import type { CallContext, Caller } from '../../src/server/context.ts';
import type { AddressPolicy } from '../../src/server/providers/addresses.ts';
import { createApiKeyHandlers } from '../../src/server/service/api-keys/handlers.ts';
import { type Authenticator, createAuthenticator } from '../../src/server/service/authenticate.ts';
import { createEmbedderHandlers } from '../../src/server/service/embedders/handlers.ts';
import { createPageTokens, loadPageTokenKey } from '../../src/server/service/page-token.ts';
import { requireUnrestricted } from '../../src/server/service/permission.ts';
import { createSpaceHandlers } from '../../src/server/service/spaces/handlers.ts';
import { createSystemHandlers } from '../../src/server/service/system/handlers.ts';
import { createUserHandlers } from '../../src/server/service/users/handlers.ts';
import type { Db } from '../../src/server/store/db.ts';
import { ServiceError } from '../../src/shared/errors.ts';
import { Role } from '../../src/shared/gen/service/v1/user_pb.ts';
import { OPERATIONS, type OperationKey, type Operations } from '../../src/shared/operations/table.ts';
import { type KeptDatabase, takeDatabase } from '../support/kept-database.ts';
import { openLog } from '../support/log.ts';
import { LOOPBACK_POLICY } from '../support/loopback-policy.ts';
import { useOpened } from '../support/opened.ts';

interface IdentityOptions {
  initToken?: string;
  fips?: boolean;
  secretsKey?: Uint8Array | undefined;
  policy?: AddressPolicy;
}

type UnaryKey = {
  [K in OperationKey]: Operations[K]['rpc'] extends DescMethodUnary ? K : never;
}[OperationKey];

/** The services of users, keys, spaces and embedders on a database, called as the wires call them. */
export interface Identity {
  call<K extends UnaryKey>(
    key: K,
    request: MessageInitShape<Operations[K]['rpc']['input']>,
    caller?: Caller,
    more?: Partial<CallContext>,
  ): Promise<MessageShape<Operations[K]['rpc']['output']>>;
  authenticate: Authenticator['authenticate'];
}

export const SECRETS_KEY = new Uint8Array(32).fill(7);
export const signal = new AbortController().signal;
// Of many calls at once, as that of a request is; what is left when they have ended would be a leak.
setMaxListeners(0, signal);

export async function openIdentity(db: Db, options: IdentityOptions = {}): Promise<Identity> {
  const log = openLog();
  const pageTokens = createPageTokens(await loadPageTokenKey(db.main, signal));
  const { fips = false, initToken, policy = LOOPBACK_POLICY } = options;
  const secretsKey = 'secretsKey' in options ? options.secretsKey : SECRETS_KEY;
  const handlers = {
    ...createSystemHandlers({
      db,
      initToken,
      fips,
      build: { version: '1.4.2-rc.1', dirty: false, gitCommit: '3f9c2d1' },
      capabilities: () => ({ ocr: 'false' }),
    }),
    ...createUserHandlers({ db, pageTokens }),
    ...createApiKeyHandlers({ db, fips }),
    ...createSpaceHandlers({ db, pageTokens }),
    ...createEmbedderHandlers({ db, secretsKey, policy }),
  } as Record<string, unknown>;
  return {
    authenticate: createAuthenticator({ db, log }).authenticate,
    async call(key, request, caller, more = {}) {
      const operation = OPERATIONS[key];
      const context: CallContext = {
        operation,
        requestId: 'test',
        signal,
        caller,
        initToken: undefined,
        files: undefined,
        log,
        ...more,
      };
      if (operation.auth === 'key') requireUnrestricted(context);
      const handler = handlers[key] as (message: unknown, context: CallContext) => Promise<never>;
      return handler(create(operation.rpc.input, request as never), context);
    },
  };
}

export interface World extends Identity {
  database: KeptDatabase;
  db: Db;
  root: Caller;
  admin: Caller;
  ada: Caller;
  bob: Caller;
  /** Another caller with a new key of that user. */
  keyFor(caller: Caller, request?: MessageInitShape<Operations['createApiKey']['rpc']['input']>): Promise<Caller>;
}

/** An initialized database with an admin and two users. `database.drop()` ends it. */
export async function createWorld(options: IdentityOptions = {}): Promise<World> {
  const database = await takeDatabase();
  const db = await database.connect();
  const identity = await openIdentity(db, options);
  const { rootApiKey = '' } = await identity.call('initializeSystem', {});
  const callerWith = async (rawKey: string) => {
    const caller = await identity.authenticate(rawKey, signal);
    if (caller === undefined) throw new Error('the key does not work');
    return caller;
  };
  const root = await callerWith(rootApiKey);
  const keyFor: World['keyFor'] = async (caller, request = {}) => {
    const made = await identity.call('createApiKey', request, caller);
    return callerWith(made.rawApiKey);
  };
  const user = async (name: string, role: Role) => {
    const made = await identity.call(
      'createUser',
      { email: `${name}@example.org`, displayName: name, username: name, role },
      root,
    );
    return keyFor(root, { userId: made.userId });
  };
  return {
    ...identity,
    database,
    db,
    root,
    admin: await user('admin', Role.ADMIN),
    ada: await user('ada', Role.USER),
    bob: await user('bob', Role.USER),
    keyFor,
  };
}

/** Removes the database of a world, whose calls must have let go of their signal. */
export async function dropWorld({ database }: Pick<World, 'database'>): Promise<void> {
  await database.drop();
  expect(getEventListeners(signal, 'abort')).toEqual([]);
}

/** An initialized database for the tests of a file; its members can be read once the tests run. */
export const useWorld = (options: IdentityOptions = {}): World => useOpened(() => createWorld(options), dropWorld);

/** What a rejected call says: its code, sentence and details. */
export async function failure(call: Promise<unknown>): Promise<string> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return [error.code, error.message, error.details].filter((part) => part !== '').join(' | ');
  }
  return 'no failure';
}

export const UNKNOWN_ID = '01980000-0000-7000-8000-00000000ffff';

/** Runs one command that is not part of the product, to look at the database or to prepare it. */
export function sql<Row extends object>(db: Db, text: string, values: readonly unknown[] = []): Promise<Row[]> {
  return db.main.query<Row>({ name: 'test', text, prepare: false }, values);
}
