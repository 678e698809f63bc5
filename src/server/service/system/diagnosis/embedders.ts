import { ServiceError } from '../../../../shared/errors.ts';
import type { Queryable } from '../../../store/db.ts';
import { type EmbedderToProbe, selectEmbeddersToProbe } from '../../../store/embedders.ts';
import { embedderKind } from '../../targets/kinds.ts';
import type { TargetOpener } from '../../targets/open-target.ts';
import { listed } from './database.ts';
import { type Finding, fail, fine, warn } from './finding.ts';

/** Probed at once; in a larger installation the others have their own alarms. */
const MOST = 20;
const TIMEOUT_MS = 3000;
const PAYLOAD = 'ping';

export interface EmbedderCheckDeps {
  pool: Queryable;
  targets: Pick<TargetOpener, 'ofRow'>;
}

/** Asks embedders for one vector each, all at the same time; those that spaces use come first. */
export async function checkEmbedders(deps: EmbedderCheckDeps, signal: AbortSignal): Promise<Finding> {
  const embedders = await selectEmbeddersToProbe(deps.pool, MOST, { signal });
  const reasons = await Promise.all(embedders.map((embedder) => failureOf(deps, embedder, signal)));
  const failed = embedders.flatMap((embedder, index) => {
    const reason = reasons[index];
    return reason === undefined ? [] : [{ ...embedder, reason }];
  });
  const total = embedders[0]?.total ?? 0;
  const asked = total > embedders.length ? `${embedders.length} of ${total} embedders were checked` : undefined;
  return judgeEmbedders(embedders.length, failed, asked);
}

/** Why an embedder gives no vectors; undefined when it does. */
async function failureOf(
  { targets }: EmbedderCheckDeps,
  embedder: EmbedderToProbe,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const client = targets.ofRow(embedderKind, embedder).client();
    const outcome = await client.probe(PAYLOAD, { signal, timeoutMs: TIMEOUT_MS });
    return outcome.ok ? undefined : (outcome.errorMessage ?? 'no reason is known');
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ServiceError)) throw error;
    return error.message;
  }
}

interface FailedEmbedder {
  id: string;
  displayName: string;
  isUsed: boolean;
  reason: string;
}

function judgeEmbedders(count: number, failed: readonly FailedEmbedder[], asked: string | undefined): Finding {
  const [first] = failed;
  const note = asked === undefined ? '' : `; ${asked}`;
  if (first === undefined) return fine(`${answering(count)}${note}`);
  const names = failed.map(({ displayName, reason }) => `${displayName} (${reason})`);
  const who =
    count === 1
      ? 'The embedder returns'
      : `${failed.length} of ${count} embedders ${failed.length === 1 ? 'returns' : 'return'}`;
  const message = `${who} no vectors: ${listed(names)}${note}`;
  const remedy = `Check the address and the credentials of the embedder, then run: svc ping ${first.id}`;
  return failed.some(({ isUsed }) => isUsed) ? fail(message, remedy) : warn(message, remedy);
}

function answering(count: number): string {
  if (count === 0) return 'There are no embedders';
  return count === 1 ? 'The embedder answers' : `All ${count} embedders answer`;
}
