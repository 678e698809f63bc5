import { create } from '@bufbuild/protobuf';
import { anyPack } from '@bufbuild/protobuf/wkt';
import { codeIn, ERROR_DOMAIN } from '../error-details.ts';
import { codeOfHttp, ERROR_CODES } from '../errors.ts';
import { ErrorInfoSchema } from '../gen/google/rpc/error_details_pb.ts';
import { type Status, StatusSchema } from '../gen/google/rpc/status_pb.ts';

/** The HTTP status of a google.rpc.Status. */
export function httpStatusOf(status: Status): number {
  return ERROR_CODES[codeIn(status)].http;
}

/** The google.rpc.Status that {@link httpStatusOf} reads back; a status that no code has counts as INTERNAL. */
export function statusFromHttp(http: number, message: string): Status {
  const code = codeOfHttp(http);
  const info = create(ErrorInfoSchema, { reason: code, domain: ERROR_DOMAIN });
  return create(StatusSchema, { code: ERROR_CODES[code].grpc, message, details: [anyPack(ErrorInfoSchema, info)] });
}
