import { EmbedderService } from '../gen/service/v1/embedder_pb.ts';
import { operation, READ, WRITE } from './operation.ts';
import { created, deleted, got, put } from './routes.ts';

const { method } = EmbedderService;

export const EMBEDDER_OPERATIONS = {
  createEmbedder: operation(method.createEmbedder, {
    ...WRITE,
    permission: 'CREATE_EMBEDDER',
    readOnlyKey: 'refused',
    spaceBoundKey: 'refused',
    errors: ['NOT_FOUND', 'ALREADY_EXISTS', 'FAILED_PRECONDITION', 'UNIMPLEMENTED'],
    rest: [created('/v1/embedders', '/v1/embedders/{embedderId}')],
  }),
  getEmbedder: operation(method.getEmbedder, {
    ...READ,
    permission: 'READ_EMBEDDER',
    spaceBoundKey: 'judged',
    errors: [],
    rest: [got('/v1/embedders/{embedderId}')],
  }),
  listEmbedders: operation(method.listEmbedders, {
    ...READ,
    permission: 'LIST_EMBEDDER',
    spaceBoundKey: 'judged',
    errors: [],
    rest: [got('/v1/embedders')],
  }),
  updateEmbedder: operation(method.updateEmbedder, {
    ...WRITE,
    permission: 'UPDATE_EMBEDDER',
    readOnlyKey: 'judged',
    spaceBoundKey: 'refused',
    errors: ['ALREADY_EXISTS', 'FAILED_PRECONDITION', 'UNIMPLEMENTED'],
    rest: [put('/v1/embedders/{embedderId}')],
  }),
  deleteEmbedder: operation(method.deleteEmbedder, {
    ...WRITE,
    permission: 'DELETE_EMBEDDER',
    readOnlyKey: 'judged',
    spaceBoundKey: 'refused',
    errors: ['FAILED_PRECONDITION'],
    rest: [deleted('/v1/embedders/{embedderId}')],
  }),
} as const;
