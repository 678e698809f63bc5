import { anyIs, anyUnpack } from '@bufbuild/protobuf/wkt';
import { ERROR_CODES, type ErrorCode, ServiceError } from '../../shared/errors.ts';
import { ErrorInfoSchema } from '../../shared/gen/google/rpc/error_details_pb.ts';
import type { Status } from '../../shared/gen/google/rpc/status_pb.ts';
import { withoutMessage } from './call-errors.ts';

/** The error of one item of a batch, as a call of its own would have met it. */
export function itemError(status: Status | undefined): ServiceError {
  const info = status?.details.find((detail) => anyIs(detail, ErrorInfoSchema));
  const reason = info === undefined ? undefined : anyUnpack(info, ErrorInfoSchema)?.reason;
  const byStatus = Object.entries(ERROR_CODES).find(([, { grpc }]) => grpc === status?.code)?.[0];
  const code = [reason, byStatus].find(isErrorCode) ?? 'INTERNAL';
  return new ServiceError(code, messageOf(status, code));
}

function messageOf(status: Status | undefined, code: ErrorCode): string {
  if (status === undefined) return 'The server did not report a result for this item';
  return status.message.trim() || withoutMessage(code);
}

function isErrorCode(text: string | undefined): text is ErrorCode {
  return text !== undefined && Object.hasOwn(ERROR_CODES, text);
}
