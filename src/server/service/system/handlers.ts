import { createHash, timingSafeEqual } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import { ServiceError } from '../../../shared/errors.ts';
import {
  type InitializeSystemResponse,
  InitializeSystemResponseSchema,
  SystemInfoSchema,
} from '../../../shared/gen/service/v1/system_pb.ts';
import type { CallContext } from '../../context.ts';
import { insertApiKey } from '../../store/api-keys.ts';
import type { Db, Queryable } from '../../store/db.ts';
import { insertRootUser } from '../../store/users.ts';
import { createVectorTable } from '../../store/vector-tables.ts';
import type { BuildInfo } from '../../version.ts';
import { generateRawKey, keyHash, keyPrefix } from '../api-keys/raw-key.ts';
import { BUILTIN_DIMENSIONS, BUILTIN_MODEL } from '../embedders/embedder-fields.ts';
import type { Handlers } from '../handlers.ts';
import { newId } from '../resources.ts';
import { embedderKind } from '../targets/kinds.ts';
import { withTargetFingerprint } from '../targets/target-fingerprint.ts';
import { type DiagnosisDeps, diagnose } from './diagnosis/diagnose.ts';
import { type StatusDeps, systemStatus } from './status.ts';

interface SystemDeps extends InitializeDeps {
  build: BuildInfo;
  /** What this server can do, as GetSystemInfo shows it; asked for at each call. */
  capabilities: () => Readonly<Record<string, string>>;
}

type SystemHandlers = Pick<Handlers, 'initializeSystem' | 'getSystemInfo'>;

export function createSystemHandlers(deps: SystemDeps): SystemHandlers {
  const { version, dirty, gitCommit, gitDescribe, buildTime } = deps.build;
  const [major = 0, minor = 0, patch = 0] = version.split(/[.+-]/).slice(0, 3).map(Number);
  const publicInfo = { version, major, minor, patch, dirty };
  const buildInfo = {
    ...(gitCommit === undefined ? {} : { gitCommit }),
    ...(gitDescribe === undefined ? {} : { gitDescribe }),
    ...(buildTime === undefined ? {} : { buildTime }),
  };
  return {
    initializeSystem: (_request, context) => initializeSystem(deps, context),

    async getSystemInfo(_request, context) {
      if (context.caller === undefined) return create(SystemInfoSchema, publicInfo);
      const capabilities = { capabilities: { ...deps.capabilities() } };
      return create(SystemInfoSchema, { ...publicInfo, ...buildInfo, capabilities });
    },
  };
}

export type SystemHealthDeps = StatusDeps & DiagnosisDeps;

type SystemHealthHandlers = Pick<Handlers, 'getSystemStatus' | 'diagnose'>;

/** Status and diagnosis of the server, for administrators. */
export function createSystemHealthHandlers(deps: SystemHealthDeps): SystemHealthHandlers {
  return {
    getSystemStatus: (_request, context) => systemStatus(deps, context),
    diagnose: (_request, context) => diagnose(deps, context),
  };
}

const ROOT = { email: 'root@localhost', displayName: 'System Root User', username: 'root' };

interface InitializeDeps {
  db: Db;
  /** `--init-token`; undefined when a fresh server may be initialized without one. */
  initToken: string | undefined;
  /** The root key is hashed with SHA3-256. */
  fips: boolean;
}

/**
 * Creates the root user and its key in one transaction. By the unique index on the root role exactly one of several
 * concurrent calls succeeds, also on several servers; the others wait for it and find the system initialized.
 */
async function initializeSystem(deps: InitializeDeps, context: CallContext): Promise<InitializeSystemResponse> {
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

/** Compares hashes, so that the time of the comparison reveals nothing about the token, not even its length. */
function requireInitToken(expected: string | undefined, given: string | undefined): void {
  if (expected === undefined) return;
  const hash = (text: string) => createHash('sha256').update(text).digest();
  if (!timingSafeEqual(hash(expected), hash(given ?? ''))) {
    throw new ServiceError('UNAUTHENTICATED', 'The init token is missing or wrong', {
      details: 'send it as X-Service-Init-Token',
    });
  }
}
