import { availableParallelism } from 'node:os';
import { openMigratedDatabase } from './database.ts';
import { createInference, type Inference } from './inference.ts';
import type { Lifecycle } from './lifecycle.ts';
import type { Logger } from './log.ts';
import type { Metrics } from './metrics/metrics.ts';
import { AddressPolicy } from './providers/addresses.ts';
import { createProviderHttp } from './providers/http.ts';
import { createAdminHandlers } from './service/admin/handlers.ts';
import { createApiKeyHandlers } from './service/api-keys/handlers.ts';
import { createAuthenticator } from './service/authenticate.ts';
import { createEmbedderHandlers } from './service/embedders/handlers.ts';
import type { Handlers } from './service/handlers.ts';
import { createIngestWorkers, type IngestWorkers } from './service/ingest/ingest-workers.ts';
import { openLicense } from './service/license/license.ts';
import { createLlmHandlers } from './service/llms/handlers.ts';
import { createMemoryHandlers } from './service/memories/handlers.ts';
import { createPageTokens, loadPageTokenKey } from './service/page-token.ts';
import { createPingHandlers } from './service/ping/handlers.ts';
import type { PostProcessorFactories } from './service/post-processors/load-modules.ts';
import { createProxy } from './service/proxy/proxy.ts';
import type { RateLimiter } from './service/rate-limit/rate-limiter.ts';
import { createSharedCounts } from './service/rate-limit/shared-counts.ts';
import { createRerankerHandlers } from './service/rerankers/handlers.ts';
import { createRetrieveHandlers } from './service/retrieval/handlers.ts';
import { createSpaceHandlers } from './service/spaces/handlers.ts';
import type { CertificateFacts } from './service/system/diagnosis/certificate.ts';
import { createSystemHandlers, createSystemHealthHandlers } from './service/system/handlers.ts';
import { createPromptTemplates } from './service/templates/prompt-templates.ts';
import type { PromptTemplates } from './service/templates/types.ts';
import { createUserHandlers } from './service/users/handlers.ts';
import type { LoadedSettings } from './settings/load.ts';
import type { Settings } from './settings/table.ts';
import type { Db } from './store/db.ts';
import { hasRootUser } from './store/users.ts';
import type { Backend } from './transport/calls.ts';
import { BUILD } from './version.ts';
import { createWorkerPool } from './workers/pool.ts';

export interface BackendOptions {
  loaded: LoadedSettings;
  /** Undefined when no endpoint speaks TLS. */
  certificate: CertificateFacts | undefined;
  lifecycle: Lifecycle;
  limiter: RateLimiter;
  log: Logger;
  metrics: Metrics;
  /** From the modules of `--post-processor-module`. */
  postProcessors: PostProcessorFactories;
  /** Aborts when the server is told to stop while it starts. */
  signal: AbortSignal;
  /** Called when something without which the server cannot go on has failed. */
  fail(error: Error): void;
}

/** Everything behind the wires, running. */
export interface RunningBackend extends Backend {
  /** Whether the root user existed at start. */
  initialized: boolean;
  close(): Promise<void>;
}

/**
 * Templates of users have threads of their own, so that hostile ones hold up no ingestion. They are started when a
 * template first comes, and need no more than this heap in MiB for anything within their limits.
 */
const TEMPLATE_POOL = { size: 2, maxOldSpaceMb: 128 };

/** Opens the database and builds the services on it, in the order in which they need each other. */
export async function startBackend(options: BackendOptions): Promise<RunningBackend> {
  const { lifecycle, loaded, log, metrics, signal } = options;
  const database = await openMigratedDatabase(loaded, {
    ...options,
    onQuery: metrics.database.query,
    onAnswering: (answers) => {
      lifecycle.databaseAnswers = answers;
    },
  });
  const workers = createWorkerPool({ size: availableParallelism() });
  const templateWorkers = createWorkerPool(TEMPLATE_POOL);
  const policy = addressPolicy(loaded.settings);
  const http = createProviderHttp({ policy });
  // Proxied calls last as long as their callers like: they must not take the connections of everybody else's work.
  const proxyHttp = createProviderHttp({ policy });
  const parts = [workers, templateWorkers, http, proxyHttp, database];
  const closing = parts.map((part) => () => part.close());
  const close = async () => {
    for (const closePart of closing) await closePart();
  };
  try {
    const { db } = database;
    metrics.database.watch(db);
    const inference = await createInference({
      ...options,
      settings: loaded.settings,
      db,
      workers,
      http,
      observe: metrics.provider,
    });
    const ingest = createIngestWorkers({
      ...options,
      ...inference,
      db,
      workers,
      settings: loaded.settings,
      observe: metrics.ingest,
    });
    closing.unshift(() => ingest.stop());
    const handlers = await createHandlers(options, {
      db,
      ingest,
      templates: createPromptTemplates(templateWorkers),
      ...inference,
    });
    const initialized = await hasRootUser(db.main, { signal });
    // Whoever was told to stop meanwhile has closed every other part, and would not close this one.
    signal.throwIfAborted();
    // One session has one server: nobody to share the counts with.
    if (db.capabilities.sessions === 'many') closing.unshift(options.limiter.share(createSharedCounts({ db, log })));
    ingest.start();
    const proxy = createProxy({
      targets: inference.targets,
      http: proxyHttp,
      timeoutMs: loaded.settings.providerTimeoutS * 1000,
    });
    return { handlers, proxy, authenticate: createAuthenticator({ db, log }), initialized, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Whoever runs the embedded database runs it for himself: his users' targets are his own. */
function addressPolicy({ providerAllowLinkLocal, providerAllowedNetworks, embedded }: Settings): AddressPolicy {
  return new AddressPolicy({
    allowLinkLocal: providerAllowLinkLocal,
    allowedNetworks: providerAllowedNetworks ?? (embedded ? undefined : []),
  });
}

async function createHandlers(
  options: BackendOptions,
  { db, ingest, templates, ...inference }: Inference & { db: Db; ingest: IngestWorkers; templates: PromptTemplates },
): Promise<Handlers> {
  const { loaded, limiter, log, metrics, signal } = options;
  const { settings } = loaded;
  const fips = settings.fipsModeEnabled;
  const pageTokens = createPageTokens(await loadPageTokenKey(db.main, signal));
  const maxContentBytes = settings.maxContentMb * 1024 * 1024;
  const license = await openLicense(loaded, (limits) => limiter.configure(limits), log);
  const dataDir = settings.embedded ? settings.dataDir : undefined;
  const { secretsKey, targets } = inference;
  const targetDeps = { db, secretsKey, policy: addressPolicy(settings) };
  return {
    ...createSystemHandlers({
      db,
      fips,
      initToken: settings.initToken,
      build: BUILD,
      capabilities: () => capabilities(db, settings.maxContentMb),
    }),
    ...createSystemHealthHandlers({ ...options, db, recent: metrics.recent, targets, dataDir }),
    ...createAdminHandlers({ ...options, db, license }),
    ...createUserHandlers({ db, pageTokens }),
    ...createApiKeyHandlers({ db, fips }),
    ...createSpaceHandlers({ db, pageTokens }),
    ...createEmbedderHandlers(targetDeps),
    ...createLlmHandlers(targetDeps),
    ...createRerankerHandlers(targetDeps),
    ...createMemoryHandlers({ db, pageTokens, ingest, maxContentBytes }),
    ...createRetrieveHandlers({
      db,
      targets,
      templates,
      postProcessors: options.postProcessors,
      providerTimeoutMs: settings.providerTimeoutS * 1000,
      observe: metrics.retrieval,
    }),
    ...createPingHandlers({ targets, observe: metrics.probe }),
  };
}

function capabilities(db: Db, maxContentMb: number): Record<string, string> {
  const database = db.capabilities.embedded ? 'embedded' : 'external';
  return { ocr: 'false', onnx: 'false', database, max_content_mb: String(maxContentMb) };
}
