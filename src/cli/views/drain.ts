import { DrainResponseSchema, LifecycleStateSchema } from '../../shared/gen/service/v1/admin_pb.ts';
import type { View } from '../render/records.ts';
import { enumText, yesNo } from '../render/values.ts';

export const drainView: View<typeof DrainResponseSchema> = {
  desc: DrainResponseSchema,
  columns: [
    { header: 'STATE', value: ({ state }) => enumText(LifecycleStateSchema, state), whole: true },
    { header: 'QUIESCED', value: ({ quiesced }) => yesNo(quiesced), whole: true },
    { header: 'MESSAGE', value: ({ message }) => message ?? '' },
  ],
};
