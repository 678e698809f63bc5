import { UserService } from '../gen/service/v1/user_pb.ts';
import { operation, READ, WRITE } from './operation.ts';
import { created, deleted, got, put } from './routes.ts';

const { method } = UserService;

export const USER_OPERATIONS = {
  createUser: operation(method.createUser, {
    ...WRITE,
    permission: 'CREATE_USER',
    readOnlyKey: 'refused',
    spaceBoundKey: 'refused',
    errors: ['NOT_FOUND', 'ALREADY_EXISTS'],
    rest: [created('/v1/users', '/v1/users/{userId}')],
  }),
  getUser: operation(method.getUser, {
    ...READ,
    permission: 'READ_USER',
    spaceBoundKey: 'refused',
    errors: [],
    rest: [
      got('/v1/users/me', { query: [] }),
      got('/v1/users/{userId}', { query: [] }),
      got('/v1/users/email/{email}', { query: [] }),
    ],
  }),
  listUsers: operation(method.listUsers, {
    ...READ,
    permission: 'LIST_USER',
    spaceBoundKey: 'refused',
    errors: [],
    rest: [got('/v1/users')],
  }),
  updateUser: operation(method.updateUser, {
    ...WRITE,
    permission: 'UPDATE_USER',
    readOnlyKey: 'judged',
    spaceBoundKey: 'refused',
    errors: ['ALREADY_EXISTS', 'FAILED_PRECONDITION'],
    rest: [put('/v1/users/{userId}')],
  }),
  deleteUser: operation(method.deleteUser, {
    ...WRITE,
    permission: 'DELETE_USER',
    readOnlyKey: 'judged',
    spaceBoundKey: 'refused',
    errors: ['FAILED_PRECONDITION'],
    rest: [deleted('/v1/users/{userId}')],
  }),
} as const;
