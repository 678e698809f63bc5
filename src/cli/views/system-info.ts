import { type SystemInfo, SystemInfoSchema } from '../../shared/gen/service/v1/system_pb.ts';
import { labelsText } from '../kit/output/columns.ts';
import type { View } from '../kit/output/records.ts';
import { yesNo } from '../kit/text/figures.ts';

export const systemInfoView: View<typeof SystemInfoSchema> = {
  desc: SystemInfoSchema,
  columns: [
    { header: 'VERSION', value: ({ version }) => version, whole: true },
    { header: 'COMMIT', value: ({ gitCommit }) => gitCommit ?? '' },
    { header: 'BUILT', value: ({ buildTime }) => buildTime ?? '' },
    { header: 'MODIFIED', value: ({ dirty }) => yesNo(dirty) },
    { header: 'CAPABILITIES', value: capabilitiesText },
  ],
  fields: [
    { header: 'version', value: ({ version }) => version },
    { header: 'commit', value: ({ gitCommit }) => gitCommit ?? '' },
    { header: 'described', value: ({ gitDescribe }) => gitDescribe ?? '' },
    { header: 'built', value: ({ buildTime }) => buildTime ?? '' },
    { header: 'modified', value: ({ dirty }) => yesNo(dirty) },
    { header: 'capabilities', value: capabilitiesText },
  ],
};

function capabilitiesText({ capabilities }: SystemInfo): string {
  return labelsText(capabilities?.capabilities ?? {});
}
