import { create } from '@bufbuild/protobuf';
import { Modality, ProviderType } from '../../../shared/gen/service/v1/common_pb.ts';
import { DistributionType, type Embedder, EmbedderSchema } from '../../../shared/gen/service/v1/embedder_pb.ts';
import { timestampFromMs } from '../../../shared/time.ts';
import type { EmbedderRow } from '../../store/embedders.ts';

/** Credentials and what is derived from them stay behind. */
export function embedderMessage(row: EmbedderRow): Embedder {
  return create(EmbedderSchema, {
    embedderId: row.embedderId,
    displayName: row.displayName,
    description: row.description,
    providerType: ProviderType[row.providerType as keyof typeof ProviderType],
    endpointUrl: row.endpointUrl,
    apiPath: row.apiPath,
    modelIdentifier: row.modelIdentifier,
    dimensionality: row.dimensionality,
    distributionType: DistributionType[row.distributionType as keyof typeof DistributionType],
    ...(row.maxSequenceLength === null ? {} : { maxSequenceLength: row.maxSequenceLength }),
    supportedModalities: row.supportedModalities.map((name) => Modality[name as keyof typeof Modality]),
    labels: row.labels,
    version: row.version,
    monitoringEndpoint: row.monitoringEndpoint,
    ownerId: row.ownerId,
    createdAt: timestampFromMs(row.createdAt),
    updatedAt: timestampFromMs(row.updatedAt),
    createdById: row.createdById,
    updatedById: row.updatedById,
  });
}

/** The names of modalities, each once; [] when none is given. */
export function modalityNames(modalities: readonly Modality[]): string[] {
  const known = modalities.filter((modality) => modality !== Modality.UNSPECIFIED);
  return [...new Set(known)].map((modality) => Modality[modality]);
}
