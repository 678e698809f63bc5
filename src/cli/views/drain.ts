import { DrainResponseSchema, LifecycleStateSchema } from '../../shared/gen/service/v1/admin_pb.ts';
import { enumText } from '../kit/output/columns.ts';
import type { View } from '../kit/output/records.ts';
import { yesNo } from '../kit/text/figures.ts';

export const drainView: View<typeof DrainResponseSchema> = {
  desc: DrainResponseSchema,
  columns: [
    { header: 'STATE', value: ({ state }) => enumText(LifecycleStateSchema, state), whole: true },
    { header: 'QUIESCED', value: ({ quiesced }) => yesNo(quiesced), whole: true },
    { header: 'MESSAGE', value: ({ message }) => message ?? '' },
  ],
};
