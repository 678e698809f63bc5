import { invalidFields } from '../../../shared/errors.ts';
import { Role } from '../../../shared/gen/service/v1/user_pb.ts';

/** The role that a request gives a user; undefined when it names none. Throws INVALID_ARGUMENT for ROOT. */
export function assignedRole(role: Role | undefined): 'ADMIN' | 'USER' | undefined {
  if (role === Role.ROOT) throw invalidFields([{ path: 'role', problem: 'ROOT cannot be assigned' }]);
  if (role === Role.ADMIN) return 'ADMIN';
  return role === Role.USER ? 'USER' : undefined;
}
