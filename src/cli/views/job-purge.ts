import { PurgeBackgroundJobsResponseSchema } from '../../shared/gen/service/v1/admin_pb.ts';
import type { View } from '../kit/output/records.ts';
import { yesNo } from '../kit/text/figures.ts';

export const jobPurgeView: View<typeof PurgeBackgroundJobsResponseSchema> = {
  desc: PurgeBackgroundJobsResponseSchema,
  columns: [
    { header: 'JOBS', value: ({ jobsPurged }) => String(jobsPurged), align: 'right', whole: true },
    { header: 'ATTEMPTS', value: ({ attemptsPurged }) => String(attemptsPurged), align: 'right', whole: true },
    {
      header: 'FROM HISTORIES',
      value: ({ referencesPurged }) => String(referencesPurged),
      align: 'right',
      whole: true,
    },
    { header: 'DRY RUN', value: ({ dryRun }) => yesNo(dryRun), whole: true },
  ],
};
