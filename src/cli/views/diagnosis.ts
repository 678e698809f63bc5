import { DiagnosisCheck_StatusSchema, DiagnosisCheckSchema } from '../../shared/gen/service/v1/system_pb.ts';
import { enumText } from '../kit/output/columns.ts';
import type { View } from '../kit/output/records.ts';

export const diagnosisView: View<typeof DiagnosisCheckSchema> = {
  desc: DiagnosisCheckSchema,
  columns: [
    { header: 'STATUS', value: ({ status }) => enumText(DiagnosisCheck_StatusSchema, status), whole: true },
    { header: 'CHECK', value: ({ name }) => name, whole: true },
    { header: 'FOUND', value: ({ message }) => message },
    { header: 'TO DO', value: ({ remedy }) => remedy },
  ],
};
