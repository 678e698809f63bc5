import { ApiKeyService } from '../gen/service/v1/api_key_pb.ts';
import { operation, READ, WRITE } from './operation.ts';
import { created, deleted, got, put } from './routes.ts';

const { method } = ApiKeyService;

export const API_KEY_OPERATIONS = {
  createApiKey: operation(method.createApiKey, {
    ...WRITE,
    permission: 'CREATE_APIKEY',
    readOnlyKey: 'refused',
    spaceBoundKey: 'refused',
    errors: ['NOT_FOUND', 'ALREADY_EXISTS'],
    showsSecret: true,
    rest: [created('/v1/apikeys', '/v1/apikeys/{apiKeyMetadata.apiKeyId}')],
  }),
  getApiKey: operation(method.getApiKey, {
    ...READ,
    permission: 'READ_APIKEY',
    spaceBoundKey: 'refused',
    errors: [],
    rest: [got('/v1/apikeys/{apiKeyId}')],
  }),
  listApiKeys: operation(method.listApiKeys, {
    ...READ,
    permission: 'LIST_APIKEY',
    spaceBoundKey: 'refused',
    errors: ['NOT_FOUND'],
    rest: [got('/v1/apikeys')],
  }),
  updateApiKey: operation(method.updateApiKey, {
    ...WRITE,
    permission: 'UPDATE_APIKEY',
    readOnlyKey: 'judged',
    spaceBoundKey: 'refused',
    errors: [],
    rest: [put('/v1/apikeys/{apiKeyId}')],
  }),
  deleteApiKey: operation(method.deleteApiKey, {
    ...WRITE,
    permission: 'DELETE_APIKEY',
    readOnlyKey: 'judged',
    spaceBoundKey: 'refused',
    errors: [],
    rest: [deleted('/v1/apikeys/{apiKeyId}')],
  }),
} as const;
