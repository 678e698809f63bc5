import { LLMService } from '../gen/service/v1/llm_pb.ts';
import { operation, READ, WRITE } from './operation.ts';
import { created, deleted, got, put } from './routes.ts';

const { method } = LLMService;

export const LLM_OPERATIONS = {
  createLLM: operation(method.createLLM, {
    ...WRITE,
    permission: 'CREATE_LLM',
    readOnlyKey: 'refused',
    spaceBoundKey: 'refused',
    errors: ['NOT_FOUND', 'ALREADY_EXISTS', 'FAILED_PRECONDITION'],
    rest: [created('/v1/llms', '/v1/llms/{llm.llmId}')],
  }),
  getLLM: operation(method.getLLM, {
    ...READ,
    permission: 'READ_LLM',
    spaceBoundKey: 'judged',
    errors: [],
    rest: [got('/v1/llms/{llmId}')],
  }),
  listLLMs: operation(method.listLLMs, {
    ...READ,
    permission: 'LIST_LLM',
    spaceBoundKey: 'judged',
    errors: [],
    rest: [got('/v1/llms')],
  }),
  updateLLM: operation(method.updateLLM, {
    ...WRITE,
    permission: 'UPDATE_LLM',
    readOnlyKey: 'judged',
    spaceBoundKey: 'refused',
    errors: ['ALREADY_EXISTS', 'FAILED_PRECONDITION'],
    rest: [put('/v1/llms/{llmId}')],
  }),
  deleteLLM: operation(method.deleteLLM, {
    ...WRITE,
    permission: 'DELETE_LLM',
    readOnlyKey: 'judged',
    spaceBoundKey: 'refused',
    errors: ['FAILED_PRECONDITION'],
    rest: [deleted('/v1/llms/{llmId}')],
  }),
} as const;
