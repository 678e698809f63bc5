import { factsOf } from '../../shared/error-details.ts';
import { ERROR_CODES, type ErrorCode, isErrorCode, ServiceError } from '../../shared/errors.ts';
import type { Status } from '../../shared/gen/google/rpc/status_pb.ts';
import { withoutMessage } from './call-errors.ts';

/** The error of one item of a batch, as a call of its own would have met it. */
export function itemError(status: Status | undefined): ServiceError {
  const facts = status === undefined ? {} : factsOf(status);
  const byStatus = Object.entries(ERROR_CODES).find(([, { grpc }]) => grpc === status?.code)?.[0];
  const code = [facts.code, byStatus].find(isErrorCode) ?? 'INTERNAL';
  return new ServiceError(code, messageOf(status, code), facts);
}

function messageOf(status: Status | undefined, code: ErrorCode): string {
  if (status === undefined) return 'The server did not report a result for this item';
  return status.message.trim() || withoutMessage(code);
}
