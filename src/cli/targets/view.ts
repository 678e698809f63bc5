import type { Timestamp } from '@bufbuild/protobuf/wkt';
import { type Modality, ModalitySchema } from '../../shared/gen/service/v1/common_pb.ts';
import { enumText, idColumn, labelsText, timeColumn } from '../kit/output/columns.ts';
import type { Column } from '../kit/output/table.ts';

/** What the records of all inference targets have. */
interface Target {
  displayName: string;
  description: string;
  endpointUrl: string;
  apiPath: string;
  modelIdentifier: string;
  supportedModalities: readonly Modality[];
  labels: Readonly<Record<string, string>>;
  version: string;
  monitoringEndpoint: string;
  ownerId: string;
  createdAt?: Timestamp | undefined;
  updatedAt?: Timestamp | undefined;
}

interface OwnParts<T> {
  id(record: T): string;
  provider(record: T): string;
  /** Behind the model. */
  columns?: readonly Column<T>[];
  fields?: readonly Column<T>[];
}

/** How an inference target looks: what all kinds have in one order, with the parts of one kind behind the model. */
export function targetParts<T extends Target>({
  id,
  provider,
  columns = [],
  fields = [],
}: OwnParts<T>): {
  columns: readonly Column<T>[];
  fields: readonly Column<T>[];
} {
  return {
    columns: [
      idColumn('ID', id),
      { header: 'NAME', value: ({ displayName }) => displayName, isTitle: true },
      { header: 'PROVIDER', value: provider },
      { header: 'MODEL', value: ({ modelIdentifier }) => modelIdentifier },
      ...columns,
      { header: 'LABELS', value: ({ labels }) => labelsText(labels), spare: true },
    ],
    fields: [
      { header: 'id', value: id },
      { header: 'name', value: ({ displayName }) => displayName },
      { header: 'description', value: ({ description }) => description },
      { header: 'provider', value: provider },
      { header: 'url', value: ({ endpointUrl, apiPath }) => `${endpointUrl}${apiPath}` },
      { header: 'model', value: ({ modelIdentifier }) => modelIdentifier },
      ...fields,
      { header: 'takes', value: ({ supportedModalities }) => modalitiesText(supportedModalities) },
      { header: 'labels', value: ({ labels }) => labelsText(labels) },
      { header: 'version', value: ({ version }) => version },
      { header: 'monitoring', value: ({ monitoringEndpoint }) => monitoringEndpoint },
      { header: 'owner', value: ({ ownerId }) => ownerId },
      timeColumn('created', ({ createdAt }) => createdAt),
      timeColumn('updated', ({ updatedAt }) => updatedAt),
    ],
  };
}

function modalitiesText(modalities: readonly Modality[]): string {
  return modalities.map((modality) => enumText(ModalitySchema, modality)).join(', ');
}
