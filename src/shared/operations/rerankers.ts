import { RerankerService } from '../gen/service/v1/reranker_pb.ts';
import { operation, READ, WRITE } from './operation.ts';
import { created, deleted, got, put } from './routes.ts';

const { method } = RerankerService;

export const RERANKER_OPERATIONS = {
  createReranker: operation(method.createReranker, {
    ...WRITE,
    permission: 'CREATE_RERANKER',
    readOnlyKey: 'refused',
    spaceBoundKey: 'refused',
    errors: ['NOT_FOUND', 'ALREADY_EXISTS', 'FAILED_PRECONDITION'],
    rest: [created('/v1/rerankers', '/v1/rerankers/{rerankerId}')],
  }),
  getReranker: operation(method.getReranker, {
    ...READ,
    permission: 'READ_RERANKER',
    spaceBoundKey: 'judged',
    errors: [],
    rest: [got('/v1/rerankers/{rerankerId}')],
  }),
  listRerankers: operation(method.listRerankers, {
    ...READ,
    permission: 'LIST_RERANKER',
    spaceBoundKey: 'judged',
    errors: [],
    rest: [got('/v1/rerankers')],
  }),
  updateReranker: operation(method.updateReranker, {
    ...WRITE,
    permission: 'UPDATE_RERANKER',
    readOnlyKey: 'judged',
    spaceBoundKey: 'refused',
    errors: ['ALREADY_EXISTS', 'FAILED_PRECONDITION'],
    rest: [put('/v1/rerankers/{rerankerId}')],
  }),
  deleteReranker: operation(method.deleteReranker, {
    ...WRITE,
    permission: 'DELETE_RERANKER',
    readOnlyKey: 'judged',
    spaceBoundKey: 'refused',
    errors: ['FAILED_PRECONDITION'],
    rest: [deleted('/v1/rerankers/{rerankerId}')],
  }),
} as const;
