import { SpaceService } from '../gen/service/v1/space_pb.ts';
import { operation, READ, WRITE } from './operation.ts';
import { created, deleted, got, put } from './routes.ts';

const { method } = SpaceService;

export const SPACE_OPERATIONS = {
  createSpace: operation(method.createSpace, {
    ...WRITE,
    permission: 'CREATE_SPACE',
    readOnlyKey: 'refused',
    spaceBoundKey: 'refused',
    errors: ['NOT_FOUND', 'ALREADY_EXISTS'],
    rest: [created('/v1/spaces', '/v1/spaces/{spaceId}')],
  }),
  getSpace: operation(method.getSpace, {
    ...READ,
    permission: 'READ_SPACE',
    spaceBoundKey: 'judged',
    errors: [],
    rest: [got('/v1/spaces/{spaceId}')],
  }),
  listSpaces: operation(method.listSpaces, {
    ...READ,
    permission: 'LIST_SPACE',
    spaceBoundKey: 'judged',
    errors: [],
    rest: [got('/v1/spaces')],
  }),
  updateSpace: operation(method.updateSpace, {
    ...WRITE,
    permission: 'UPDATE_SPACE',
    readOnlyKey: 'judged',
    spaceBoundKey: 'judged',
    errors: ['ALREADY_EXISTS'],
    rest: [put('/v1/spaces/{spaceId}')],
  }),
  deleteSpace: operation(method.deleteSpace, {
    ...WRITE,
    permission: 'DELETE_SPACE',
    readOnlyKey: 'judged',
    spaceBoundKey: 'judged',
    errors: [],
    rest: [deleted('/v1/spaces/{spaceId}')],
  }),
} as const;
