import { create } from '@bufbuild/protobuf';
import { EmptySchema } from '@bufbuild/protobuf/wkt';
import {
  ApiKeyStatus,
  ListApiKeysResponseSchema,
  type UpdateApiKeyRequest,
} from '../../../shared/gen/service/v1/api_key_pb.ts';
import type { CallContext } from '../../context.ts';
import {
  type ApiKeyRow,
  deleteApiKeyRow,
  selectApiKey,
  selectApiKeyForUpdate,
  selectApiKeysOfUser,
  updateApiKeyRow,
} from '../../store/api-keys.ts';
import type { Db } from '../../store/db.ts';
import type { Handlers } from '../handlers.ts';
import { updatedLabels } from '../labels.ts';
import { callerOf, requireMay } from '../permission.ts';
import { notFound, written } from '../resource-ids.ts';
import { resolveUser } from '../users/load-user.ts';
import { apiKeyMessage } from './api-key-message.ts';
import { createApiKey } from './create-api-key.ts';

const MAX_LABELS = 10;

export interface ApiKeyDeps {
  db: Db;
  /** New keys are hashed with SHA3-256. */
  fips: boolean;
}

export type ApiKeyHandlers = Pick<
  Handlers,
  'createApiKey' | 'getApiKey' | 'listApiKeys' | 'updateApiKey' | 'deleteApiKey'
>;

export function createApiKeyHandlers(deps: ApiKeyDeps): ApiKeyHandlers {
  const { db } = deps;
  return {
    createApiKey: (request, context) => createApiKey(deps, request, context),

    async getApiKey({ apiKeyId }, context) {
      const key = found(await selectApiKey(db.main, apiKeyId, { signal: context.signal }), apiKeyId);
      requireMay(context, 'READ_APIKEY', key.userId);
      return apiKeyMessage(key);
    },

    async listApiKeys(request, context) {
      const userId = await resolveUser(db.main, context, 'LIST_APIKEY', request.userId);
      const keys = await selectApiKeysOfUser(db.main, userId, { signal: context.signal });
      return create(ListApiKeysResponseSchema, { keys: keys.map(apiKeyMessage) });
    },

    updateApiKey: async (request, context) => apiKeyMessage(await updateApiKey(db, request, context)),

    async deleteApiKey({ apiKeyId }, context) {
      const options = { signal: context.signal };
      const key = found(await selectApiKey(db.main, apiKeyId, options), apiKeyId);
      requireMay(context, 'DELETE_APIKEY', key.userId);
      if (!(await deleteApiKeyRow(db.main, apiKeyId, options))) throw notFound('API key', apiKeyId);
      return create(EmptySchema);
    },
  };
}

function updateApiKey(db: Db, request: UpdateApiKeyRequest, context: CallContext): Promise<ApiKeyRow> {
  return db.main.withTx(
    async (tx) => {
      const key = found(await selectApiKeyForUpdate(tx, request.apiKeyId), request.apiKeyId);
      requireMay(context, 'UPDATE_APIKEY', key.userId);
      const status = statusOf(request.status);
      if (status === undefined && request.labelUpdate.case === undefined) return key;
      const row = await updateApiKeyRow(tx, {
        apiKeyId: key.apiKeyId,
        status: status ?? key.status,
        labels: updatedLabels(key.labels, request.labelUpdate, MAX_LABELS),
        updatedById: callerOf(context).userId,
      });
      return written(row);
    },
    { signal: context.signal },
  );
}

/** Undefined when the request leaves the status as it is. */
function statusOf(status: ApiKeyStatus | undefined): ApiKeyRow['status'] | undefined {
  if (status === ApiKeyStatus.ACTIVE) return 'ACTIVE';
  return status === ApiKeyStatus.INACTIVE ? 'INACTIVE' : undefined;
}

function found(key: ApiKeyRow | undefined, apiKeyId: string): ApiKeyRow {
  if (key === undefined) throw notFound('API key', apiKeyId);
  return key;
}
