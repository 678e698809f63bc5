import { RoleSchema, UserSchema } from '../../shared/gen/service/v1/user_pb.ts';
import { enumText, idColumn, timeColumn } from '../kit/output/columns.ts';
import type { View } from '../kit/output/records.ts';

export const userView: View<typeof UserSchema> = {
  desc: UserSchema,
  columns: [
    idColumn('ID', ({ userId }) => userId),
    { header: 'EMAIL', value: ({ email }) => email, isTitle: true },
    { header: 'ROLE', value: ({ role }) => enumText(RoleSchema, role), whole: true },
    { header: 'NAME', value: ({ displayName }) => displayName },
    { header: 'USERNAME', value: ({ username }) => username ?? '', spare: true },
    timeColumn('CREATED', ({ createdAt }) => createdAt),
  ],
  fields: [
    { header: 'id', value: ({ userId }) => userId },
    { header: 'email', value: ({ email }) => email },
    { header: 'name', value: ({ displayName }) => displayName },
    { header: 'username', value: ({ username }) => username ?? '' },
    { header: 'role', value: ({ role }) => enumText(RoleSchema, role) },
    timeColumn('created', ({ createdAt }) => createdAt),
    timeColumn('updated', ({ updatedAt }) => updatedAt),
  ],
};
