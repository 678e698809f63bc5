import {
  ReloadLicenseResponse_StatusSchema,
  ReloadLicenseResponseSchema,
} from '../../shared/gen/service/v1/admin_pb.ts';
import { enumText, timeText } from '../kit/output/columns.ts';
import type { View } from '../kit/output/records.ts';
import { bytesText } from '../kit/text/figures.ts';

export const licenseReloadView: View<typeof ReloadLicenseResponseSchema> = {
  desc: ReloadLicenseResponseSchema,
  columns: [
    { header: 'STATUS', value: ({ status }) => enumText(ReloadLicenseResponse_StatusSchema, status), whole: true },
    { header: 'MESSAGE', value: ({ message }) => message ?? '' },
    { header: 'FILE', value: ({ activeLicense }) => activeLicense?.filename ?? '' },
    {
      header: 'SIZE',
      value: ({ activeLicense }) => (activeLicense === undefined ? '' : bytesText(activeLicense.sizeBytes)),
      align: 'right',
      whole: true,
    },
    { header: 'CHANGED', value: ({ activeLicense }) => timeText(activeLicense?.modifiedAt), whole: true },
    { header: 'SHA256', value: ({ activeLicense }) => activeLicense?.sha256 ?? '' },
  ],
};
