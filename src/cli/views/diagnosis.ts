import { DiagnosisCheck_StatusSchema, DiagnosisCheckSchema } from '../../shared/gen/service/v1/system_pb.ts';
import type { View } from '../render/records.ts';
import { enumText } from '../render/values.ts';

export const diagnosisView: View<typeof DiagnosisCheckSchema> = {
  desc: DiagnosisCheckSchema,
  columns: [
    { header: 'STATUS', value: ({ status }) => enumText(DiagnosisCheck_StatusSchema, status), whole: true },
    { header: 'CHECK', value: ({ name }) => name, whole: true },
    { header: 'FOUND', value: ({ message }) => message },
    { header: 'TO DO', value: ({ remedy }) => remedy },
  ],
};
