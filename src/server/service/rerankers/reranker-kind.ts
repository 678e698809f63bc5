import { defaultRerankerApiPath } from '../../providers/rerankers/protocols.ts';
import type { RerankerProvider } from '../../providers/rerankers/types.ts';
import { type RerankerOwn, rerankerStore } from '../../store/rerankers.ts';
import type { TargetKind } from '../targets/target-kind.ts';

export const rerankerKind: TargetKind<RerankerOwn> = {
  resource: 'RERANKER',
  title: 'Reranker',
  store: rerankerStore,
  defaultApiPath: (providerType) => defaultRerankerApiPath(providerType as RerankerProvider),
  identity: () => [],
};
