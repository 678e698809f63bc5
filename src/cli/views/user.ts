import { RoleSchema, UserSchema } from '../../shared/gen/service/v1/user_pb.ts';
import type { View } from '../render/records.ts';
import { enumText, timeText } from '../render/values.ts';

export const userView: View<typeof UserSchema> = {
  desc: UserSchema,
  columns: [
    { header: 'ID', value: ({ userId }) => userId, whole: true },
    { header: 'EMAIL', value: ({ email }) => email },
    { header: 'ROLE', value: ({ role }) => enumText(RoleSchema, role), whole: true },
    { header: 'NAME', value: ({ displayName }) => displayName },
    { header: 'USERNAME', value: ({ username }) => username ?? '' },
    { header: 'CREATED', value: ({ createdAt }) => timeText(createdAt), whole: true },
  ],
  fields: [
    { header: 'id', value: ({ userId }) => userId },
    { header: 'email', value: ({ email }) => email },
    { header: 'name', value: ({ displayName }) => displayName },
    { header: 'username', value: ({ username }) => username ?? '' },
    { header: 'role', value: ({ role }) => enumText(RoleSchema, role) },
    { header: 'created', value: ({ createdAt }) => timeText(createdAt) },
    { header: 'updated', value: ({ updatedAt }) => timeText(updatedAt) },
  ],
};
