import { create } from '@bufbuild/protobuf';
import { statusOf } from '../../../shared/error-details.ts';
import { ServiceError } from '../../../shared/errors.ts';
import type { Status } from '../../../shared/gen/google/rpc/status_pb.ts';
import {
  type BatchMemoryResult,
  BatchMemoryResultSchema,
  type Memory,
} from '../../../shared/gen/service/v1/memory_pb.ts';
import type { CallContext } from '../../context.ts';

interface Success {
  memoryId?: string | undefined;
  memory?: Memory;
  deletedCount?: number;
}

export function succeeded(requestIndex: number, { memoryId, memory, deletedCount }: Success): BatchMemoryResult {
  return create(BatchMemoryResultSchema, {
    success: true,
    requestIndex,
    ...(memoryId === undefined ? {} : { memoryId }),
    ...(memory === undefined ? {} : { memory }),
    ...(deletedCount === undefined ? {} : { deletedCount: BigInt(deletedCount) }),
  });
}

/** The result of an item that failed. `memoryId` is the requested one. */
export function failed(
  requestIndex: number,
  error: unknown,
  context: CallContext,
  { memoryId, deletedCount }: Omit<Success, 'memory'> = {},
): BatchMemoryResult {
  return create(BatchMemoryResultSchema, {
    success: false,
    requestIndex,
    error: errorStatus(error, context),
    ...(memoryId === undefined || memoryId === '' ? {} : { memoryId }),
    ...(deletedCount === undefined ? {} : { deletedCount: BigInt(deletedCount) }),
  });
}

function errorStatus(error: unknown, context: CallContext): Status {
  const told = error instanceof ServiceError ? error : unexpected(error, context);
  const known = context.named?.(told) ?? told;
  // An item has no field for details, and "1 invalid field" alone is useless.
  return statusOf(known, known.details === '' ? known.message : `${known.message}: ${known.details}`);
}

function unexpected(error: unknown, { log, requestId }: CallContext): ServiceError {
  log.error({ err: error }, 'an item of a batch failed unexpectedly');
  return new ServiceError('INTERNAL', 'The server failed to handle the item', { details: requestId });
}
