import { embedLexicalTask } from './providers/builtin/embed-lexical.ts';
import { createTargetClients } from './providers/clients.ts';
import type { BuiltinEmbed } from './providers/embedders/types.ts';
import type { ProviderHttp } from './providers/http.ts';
import type { ProviderObserver } from './providers/observer.ts';
import { settleSecretsKey } from './service/secrets-key.ts';
import type { SecretsKey } from './service/targets/kinds.ts';
import { createTargetOpener, type TargetOpener } from './service/targets/open-target.ts';
import type { Settings } from './settings/table.ts';
import type { Db } from './store/db.ts';
import type { WorkerPool } from './workers/pool.ts';

const EMBED_TIMEOUT_MS = 120_000;

/** What opens inference targets, and the key that opens their credentials. */
export interface Inference {
  secretsKey: SecretsKey;
  targets: TargetOpener;
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
  const clients = createTargetClients({ ...calling, builtin: builtinEmbedder(workers) });
  return { secretsKey, targets: createTargetOpener({ pool: db.main, secretsKey, clients }) };
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
