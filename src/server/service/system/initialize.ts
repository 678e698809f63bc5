import { createHash, timingSafeEqual } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import { ServiceError } from '../../../shared/errors.ts';
import {
  type InitializeSystemResponse,
  InitializeSystemResponseSchema,
} from '../../../shared/gen/service/v1/system_pb.ts';
import type { CallContext } from '../../context.ts';
import { insertApiKey } from '../../store/api-keys.ts';
import type { Db, Queryable } from '../../store/db.ts';
import { insertRootUser } from '../../store/users.ts';
import { createVectorTable } from '../../store/vector-tables.ts';
import { generateRawKey, keyHash, keyPrefix } from '../api-keys/raw-key.ts';
import { BUILTIN_DIMENSIONS, BUILTIN_MODEL } from '../embedders/embedder-fields.ts';
import { newId } from '../resource-ids.ts';
import { embedderKind } from '../targets/kinds.ts';
import { withTargetFingerprint } from '../targets/target-fingerprint.ts';

const ROOT = { email: 'root@localhost', displayName: 'System Root User', username: 'root' };

export interface InitializeDeps {
  db: Db;
  /** `--init-token`; undefined when anybody may initialise a fresh server. */
  initToken: string | undefined;
  /** The root key is hashed with SHA3-256. */
  fips: boolean;
}

/**
 * Makes the root user and its key in one transaction. The unique index on the root role lets exactly one of several
 * calls through, on however many servers; the others wait for it and find the system initialised.
 */
export async function initializeSystem(deps: InitializeDeps, context: CallContext): Promise<InitializeSystemResponse> {
  requireInitToken(deps.initToken, context.initToken);
  const made = await deps.db.main.withTx((tx) => createRoot(deps, tx), { signal: context.signal });
  if (made === undefined) {
    return create(InitializeSystemResponseSchema, {
      alreadyInitialized: true,
      message: 'The system is initialized already; its root key cannot be shown again',
    });
  }
  context.log.info({ userId: made.userId }, 'The system is initialized');
  return create(InitializeSystemResponseSchema, {
    alreadyInitialized: false,
    message: 'The system is initialized; store the root key now, it is not shown again',
    ...made,
  });
}

async function createRoot(deps: InitializeDeps, tx: Queryable) {
  const root = await insertRootUser(tx, { userId: newId(), ...ROOT });
  if (root === undefined) return undefined;
  const { userId } = root;
  const rootApiKey = generateRawKey();
  await insertApiKey(tx, {
    apiKeyId: newId(),
    userId,
    keyHash: keyHash(rootApiKey, deps.fips),
    keyPrefix: keyPrefix(rootApiKey),
    labels: { purpose: 'admin' },
    readOnly: null,
    spaceIds: null,
    expiresAt: null,
    createdById: userId,
  });
  if (deps.db.capabilities.embedded) await createDefaultEmbedder(tx, userId);
  return { userId, rootApiKey };
}

/** With the embedded database a first memory can be stored and found without any provider. */
async function createDefaultEmbedder(tx: Queryable, ownerId: string): Promise<void> {
  const own = { dimensionality: BUILTIN_DIMENSIONS, distributionType: 'DENSE', maxSequenceLength: null };
  const embedder = {
    id: newId(),
    ...own,
    ownerId,
    createdById: ownerId,
    displayName: 'Built-in lexical',
    description: 'Finds texts by their words, without a model or a provider',
    providerType: 'BUILTIN',
    endpointUrl: '',
    apiPath: '',
    modelIdentifier: BUILTIN_MODEL,
    supportedModalities: ['TEXT'],
    labels: { default: 'true' },
    version: '',
    monitoringEndpoint: '',
    credentials: null,
    credentialFingerprint: '',
  };
  await embedderKind.store.insert(tx, withTargetFingerprint(embedder, embedderKind.identity(own)));
  await createVectorTable(tx, { embedderId: embedder.id, dimensionality: own.dimensionality });
}

/** Compares hashes, so that the time tells nothing about the token, not even its length. */
function requireInitToken(expected: string | undefined, given: string | undefined): void {
  if (expected === undefined) return;
  const hash = (text: string) => createHash('sha256').update(text).digest();
  if (!timingSafeEqual(hash(expected), hash(given ?? ''))) {
    throw new ServiceError('UNAUTHENTICATED', 'The init token is missing or wrong', {
      details: 'send it as X-Service-Init-Token',
    });
  }
}
