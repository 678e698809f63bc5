import type { RerankerProvider, RerankerRecord } from '../../providers/rerankers/types.ts';
import { type LoaderDeps, loadTarget, targetRecord } from '../targets/load-targets.ts';
import { rerankerKind } from './reranker-kind.ts';

export interface RerankerLoader {
  /** Throws NOT_FOUND. */
  loadReranker(id: string, signal: AbortSignal): Promise<RerankerRecord>;
}

/** Rerankers in the form in which they are called. Permissions are not checked. */
export function createRerankerLoader({ pool, secretsKey }: LoaderDeps): RerankerLoader {
  return {
    loadReranker: async (id, signal) =>
      targetRecord<RerankerProvider>(await loadTarget(pool, rerankerKind, id, signal), secretsKey),
  };
}
