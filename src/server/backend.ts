import { availableParallelism } from 'node:os';
import { openMigratedDatabase } from './database.ts';
import type { Lifecycle } from './lifecycle.ts';
import type { Logger } from './log.ts';
import type { Metrics } from './metrics/metrics.ts';
import { AddressPolicy } from './providers/addresses.ts';
import { embedLexicalTask } from './providers/builtin/embed-lexical.ts';
import { createTargetClients } from './providers/clients.ts';
import type { BuiltinEmbed } from './providers/embedders/types.ts';
import { createProviderHttp, type ProviderHttp } from './providers/http.ts';
import type { ProviderObserver } from './providers/observer.ts';
import { createAdminHandlers } from './service/admin/handlers.ts';
import { createApiKeyHandlers } from './service/api-keys/handlers.ts';
import { createAuthenticator } from './service/authenticate.ts';
import { settleSecretsKey } from './service/credentials/secrets-key.ts';
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
import { createSharedCounts } from './service/rate-limit/count-exchange.ts';
import type { RateLimiter } from './service/rate-limit/rate-limiter.ts';
import { createRerankerHandlers } from './service/rerankers/handlers.ts';
import { createRetrieveHandlers } from './service/retrieval/handlers.ts';
import { createSpaceHandlers } from './service/spaces/handlers.ts';
import type { CertificateFacts } from './service/system/diagnosis/findings.ts';
import { createSystemHandlers, createSystemHealthHandlers } from './service/system/handlers.ts';
import type { SecretsKey } from './service/targets/kinds.ts';
import { createTargetOpener, type TargetOpener } from './service/targets/open-target.ts';
import { createPromptTemplates, type PromptTemplates } from './service/templates/prompt-templates.ts';
import { createUserHandlers } from './service/users/handlers.ts';
import type { LoadedSettings } from './settings/load.ts';
import type { Settings } from './settings/table.ts';
import type { Db } from './store/db.ts';
import { hasRootUser } from './store/users.ts';
import type { Backend } from './transport/calls.ts';
import { BUILD } from './version.ts';
import { createWorkerPool, type WorkerPool } from './workers/pool.ts';

interface BackendOptions {
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
  /** Called when a part without which the server cannot go on has failed. */
  fail(error: Error): void;
}

/** Everything behind the transports, running. */
export interface RunningBackend extends Backend {
  /** Whether the root user existed at start. */
  initialized: boolean;
  close(): Promise<void>;
}

/**
 * Templates of users have threads of their own, so that hostile ones do not delay ingestion. The threads are started
 * for the first template, and need no more than this heap in MiB for any template within its limits.
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
  // Proxied calls may last long, and must not use up the connections of all other calls.
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
    // A shutdown that began meanwhile has closed all other parts, and would not close this one.
    signal.throwIfAborted();
    // A database with one session has one server only, and no other server to share the counts with.
    if (db.capabilities.sessions === 'many') closing.unshift(options.limiter.share(createSharedCounts({ db, log })));
    ingest.start();
    const proxy = createProxy({
      targets: inference.targets,
      http: proxyHttp,
      timeoutMs: loaded.settings.providerTimeoutS * 1000,
    });
    return { handlers, proxy, ...createAuthenticator({ db, log }), initialized, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A server with the embedded database usually has one user, so targets of users may be in any network by default. */
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

const EMBED_TIMEOUT_MS = 120_000;

/** What opens inference targets, and the key that opens their credentials. */
interface Inference {
  secretsKey: SecretsKey;
  targets: TargetOpener;
}

interface InferenceOptions {
  settings: Settings;
  db: Db;
  workers: WorkerPool;
  http: ProviderHttp;
  observe: ProviderObserver;
  signal: AbortSignal;
}

async function createInference(options: InferenceOptions): Promise<Inference> {
  const { settings, db, workers, http, observe, signal } = options;
  const dataDir = settings.embedded ? settings.dataDir : undefined;
  const secretsKey = await settleSecretsKey(db.main, { given: settings.secretsKey, dataDir }, signal);
  const calling = { http, timeoutMs: settings.providerTimeoutS * 1000, observe };
  const clients = createTargetClients({ ...calling, builtin: builtinEmbedder(workers) });
  return { secretsKey, targets: createTargetOpener({ pool: db.main, secretsKey, clients }) };
}

/** A text of this length is embedded in less time than a call of a worker thread takes (0.1 ms). */
const INLINE_CHARACTERS = 500;

/** The in-process embedder: a short question at once, everything else on the worker threads. */
function builtinEmbedder(workers: WorkerPool): BuiltinEmbed {
  return async (texts, dimensions, inputType, signal) => {
    const input = { texts, dimensions, inputType };
    const isShort = texts.length === 1 && (texts[0]?.length ?? 0) <= INLINE_CHARACTERS;
    const values = isShort
      ? embedLexicalTask(input)
      : await workers.run('embedLexical', input, { signal, timeoutMs: EMBED_TIMEOUT_MS });
    return texts.map((_, row) => values.subarray(row * dimensions, (row + 1) * dimensions));
  };
}
