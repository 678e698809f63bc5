import { create } from '@bufbuild/protobuf';
import { anyPack } from '@bufbuild/protobuf/wkt';
import { ERROR_DOMAIN, factsOf } from '../error-details.ts';
import type { ErrorCode } from '../errors.ts';
import { ERROR_CODES } from '../errors.ts';
import { ErrorInfoSchema } from '../gen/google/rpc/error_details_pb.ts';
import type { Status } from '../gen/google/rpc/status_pb.ts';
import { StatusSchema } from '../gen/google/rpc/status_pb.ts';

const ROWS = Object.entries(ERROR_CODES) as [ErrorCode, (typeof ERROR_CODES)[ErrorCode]][];

/** The HTTP status of a google.rpc.Status: by the code named in its ErrorInfo, else by the first row with its gRPC code. */
export function httpStatusOf(status: Status): number {
  const { code } = factsOf(status);
  if (code !== undefined) return ERROR_CODES[code].http;
  return ROWS.find(([, row]) => row.grpc === status.code)?.[1].http ?? ERROR_CODES.INTERNAL.http;
}

/** The google.rpc.Status that {@link httpStatusOf} reads back; a status that no code has counts as INTERNAL. */
export function statusFromHttp(http: number, message: string): Status {
  const [code, row] = ROWS.find(([, { http: known }]) => known === http) ?? ['INTERNAL', ERROR_CODES.INTERNAL];
  const info = create(ErrorInfoSchema, { reason: code, domain: ERROR_DOMAIN });
  return create(StatusSchema, { code: row.grpc, message, details: [anyPack(ErrorInfoSchema, info)] });
}
