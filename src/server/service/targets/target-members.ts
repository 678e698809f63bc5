import { Modality } from '../../../shared/gen/service/v1/common_pb.ts';
import { timestampFromMs } from '../../../shared/time.ts';
import type { TargetRow } from '../../store/targets.ts';

/** What the messages of all targets show alike. Credentials and what is derived from them stay behind. */
export function targetMembers(row: TargetRow) {
  return {
    displayName: row.displayName,
    description: row.description,
    endpointUrl: row.endpointUrl,
    apiPath: row.apiPath,
    modelIdentifier: row.modelIdentifier,
    supportedModalities: row.supportedModalities.map(modalityOf),
    labels: row.labels,
    version: row.version,
    monitoringEndpoint: row.monitoringEndpoint,
    ownerId: row.ownerId,
    createdAt: timestampFromMs(row.createdAt),
    updatedAt: timestampFromMs(row.updatedAt),
    createdById: row.createdById,
    updatedById: row.updatedById,
  };
}

function modalityOf(name: string): Modality {
  return Modality[name as keyof typeof Modality];
}
