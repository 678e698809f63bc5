import { create } from '@bufbuild/protobuf';
import { Role, type User, UserSchema } from '../../../shared/gen/service/v1/user_pb.ts';
import { timestampFromMs } from '../../../shared/time.ts';
import type { UserRow } from '../../store/users.ts';

export function userMessage(row: UserRow): User {
  return create(UserSchema, {
    userId: row.userId,
    email: row.email,
    displayName: row.displayName,
    ...(row.username === null ? {} : { username: row.username }),
    role: Role[row.role],
    createdAt: timestampFromMs(row.createdAt),
    updatedAt: timestampFromMs(row.updatedAt),
  });
}
