import { defaultEmbedderApiPath } from '../../providers/embedders/protocols.ts';
import type { EmbedderProvider } from '../../providers/embedders/types.ts';
import { type EmbedderOwn, embedderStore } from '../../store/embedders.ts';
import type { TargetKind } from '../targets/target-kind.ts';

export const embedderKind: TargetKind<EmbedderOwn> = {
  resource: 'EMBEDDER',
  title: 'Embedder',
  store: embedderStore,
  defaultApiPath: (providerType, modelIdentifier) =>
    defaultEmbedderApiPath(providerType as EmbedderProvider, modelIdentifier),
  identity: ({ dimensionality, distributionType }) => [dimensionality, distributionType],
};
