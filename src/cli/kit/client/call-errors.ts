import { fromBinary } from '@bufbuild/protobuf';
import type { Metadata, ServiceError as RpcError } from '@grpc/grpc-js';
import { type ErrorFacts, factsOf, STATUS_DETAILS } from '../../../shared/error-details.ts';
import { codeOfGrpc, ERROR_CODES, type ErrorCode, isErrorCode, ServiceError } from '../../../shared/errors.ts';
import { type Status, StatusSchema } from '../../../shared/gen/google/rpc/status_pb.ts';
import { KeyRefused, Unreachable } from '../errors.ts';
import { maskKey } from '../text/printable.ts';

interface CallPlace {
  /** `host:port` of the server. */
  authority: string;
  /** The server had answered before the failure. */
  hasBegun: boolean;
  /** The key that went along. */
  apiKey: string | undefined;
}

/** The error of a call as the service meant it: from the trailing metadata, else from the gRPC status. */
export function serviceErrorOf(error: RpcError, { authority, hasBegun, apiKey }: CallPlace): ServiceError {
  const named = metadataText(error.metadata, 'x-error-code');
  if (named === undefined && error.code === ERROR_CODES.UNAVAILABLE.grpc) {
    const details = lastAttempt(error.details);
    if (!hasBegun) return new Unreachable(authority, details, { why: 'no answer', cause: error });
    return new ServiceError('UNAVAILABLE', `The connection to ${authority} was lost`, { details, cause: error });
  }
  const facts = factsIn(error.metadata);
  const code = [named, facts.code].find(isErrorCode) ?? codeOfGrpc(error.code);
  const retryAfter = metadataText(error.metadata, 'retry-after');
  const retryAfterSeconds = retryAfter === undefined ? facts.retryAfterSeconds : Number(retryAfter);
  const options = {
    details: decodePercent(metadataText(error.metadata, 'x-error-details') ?? ''),
    resource: facts.resource,
    violations: facts.violations,
    retryAfterSeconds: Number.isFinite(retryAfterSeconds) ? retryAfterSeconds : undefined,
    cause: error,
  };
  // The service says the same to a wrong key as to none; here it is known which of the two it was.
  if (code === 'UNAUTHENTICATED' && apiKey !== undefined) return new KeyRefused(maskKey(apiKey), options);
  return new ServiceError(code, error.details.trim() || withoutMessage(code), options);
}

/** What the google.rpc details of the status say; nothing when another server or a proxy has sent none, or other bytes. */
function factsIn(metadata: Metadata | undefined): ErrorFacts {
  const bytes = metadata?.get(STATUS_DETAILS)[0];
  if (!(bytes instanceof Uint8Array)) return {};
  try {
    return factsOf(fromBinary(StatusSchema, bytes));
  } catch {
    return {};
  }
}

/** What a proxy between, or another server, answers may have a status and nothing else. */
function withoutMessage(code: ErrorCode): string {
  return `The server answered with ${code} and no message`;
}

function metadataText(metadata: Metadata | undefined, name: string): string | undefined {
  const value = metadata?.get(name)[0];
  return value === undefined ? undefined : String(value);
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** grpc-js writes whole histories of attempts; the last is what helps a reader, and nothing else depends on it. */
function lastAttempt(history: string): string {
  return /Last error: (?:Error: )?(.*?)(?: Resolution note: .*)?$/.exec(history)?.[1] ?? history;
}

/** The error of one item of a batch, as a call of its own would have met it. */
export function itemError(status: Status | undefined): ServiceError {
  const facts = status === undefined ? {} : factsOf(status);
  const code = facts.code ?? codeOfGrpc(status?.code);
  return new ServiceError(code, messageOf(status, code), facts);
}

function messageOf(status: Status | undefined, code: ErrorCode): string {
  if (status === undefined) return 'The server did not report a result for this item';
  return status.message.trim() || withoutMessage(code);
}
