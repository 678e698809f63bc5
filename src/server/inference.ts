import { embedLexicalTask } from './providers/builtin/task.ts';
import { EmbedderRegistry } from './providers/embedders/registry.ts';
import type { BuiltinEmbed } from './providers/embedders/types.ts';
import type { ProviderHttp } from './providers/http.ts';
import { LlmRegistry } from './providers/llms/registry.ts';
import type { ProviderObserver } from './providers/observer.ts';
import { RerankerRegistry } from './providers/rerankers/registry.ts';
import { createEmbedderLoader, type EmbedderLoader } from './service/embedders/load-embedders.ts';
import { createLlmLoader } from './service/llms/load-llm.ts';
import type { PingTargetDeps } from './service/ping/targets.ts';
import { createRerankerLoader } from './service/rerankers/load-reranker.ts';
import type { ProcessingTargets } from './service/retrieval/targets.ts';
import { settleSecretsKey } from './service/secrets-key.ts';
import type { Settings } from './settings/table.ts';
import type { Db } from './store/db.ts';
import type { WorkerPool } from './workers/pool.ts';

const EMBED_TIMEOUT_MS = 120_000;

/** What calls inference targets: their records, their clients, and the key that opens their credentials. */
export interface Inference {
  secretsKey: Uint8Array | undefined;
  registry: EmbedderRegistry;
  loader: EmbedderLoader;
  targets: Omit<PingTargetDeps & ProcessingTargets, 'pool'>;
}

export interface InferenceOptions {
  settings: Settings;
  db: Db;
  workers: WorkerPool;
  http: ProviderHttp;
  observe: ProviderObserver;
  signal: AbortSignal;
}

export async function createInference(options: InferenceOptions): Promise<Inference> {
  const { settings, db, workers, http, observe, signal } = options;
  const dataDir = settings.embedded ? settings.dataDir : undefined;
  const secretsKey = await settleSecretsKey(db.main, { given: settings.secretsKey, dataDir }, signal);
  const calling = { http, timeoutMs: settings.providerTimeoutS * 1000, observe };
  const loading = { pool: db.main, secretsKey };
  const loader = createEmbedderLoader(loading);
  const registry = new EmbedderRegistry({ ...calling, builtin: builtinEmbedder(workers) });
  const rerankers = new RerankerRegistry(calling);
  const llms = new LlmRegistry(calling);
  return {
    secretsKey,
    registry,
    loader,
    targets: {
      embedders: { load: loader.loadEmbedder, client: (record) => registry.client(record) },
      rerankers: { load: createRerankerLoader(loading).loadReranker, client: (record) => rerankers.client(record) },
      llms: { load: createLlmLoader(loading).loadLlm, client: (record) => llms.client(record) },
    },
  };
}

/** A text of this length is embedded in less time than a thread takes to be asked (0.1 ms). */
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
