import type { Metadata, ServiceError as RpcError } from '@grpc/grpc-js';
import { ERROR_CODES, type ErrorCode, ServiceError } from '../../shared/errors.ts';
import { maskKey } from '../config/mask.ts';
import { KEY_REFUSED, NOT_GRPC } from '../failure.ts';
import { unreachable } from './probe.ts';

const UNAVAILABLE = 14;

export interface CallPlace {
  /** `host:port` of the server. */
  authority: string;
  /** The server had answered before the failure. */
  hasBegun: boolean;
  /** The key that went along. */
  apiKey: string | undefined;
}

/** The error of a call as the service meant it: from the trailing metadata, else from the gRPC status. */
export function serviceErrorOf(error: RpcError, { authority, hasBegun, apiKey }: CallPlace): ServiceError {
  const named = textOf(error.metadata, 'x-error-code');
  if (named === undefined && error.code === UNAVAILABLE) {
    const details = connectionDetails(error);
    if (!hasBegun) return unreachable(authority, details, error);
    return new ServiceError('UNAVAILABLE', `The connection to ${authority} was lost`, { details, cause: error });
  }
  const code = named !== undefined && isErrorCode(named) ? named : codeOfStatus(error.code);
  const retryAfter = Number(textOf(error.metadata, 'retry-after') ?? Number.NaN);
  // The service says the same to a wrong key as to none; here it is known which of the two it was.
  const isRefused = code === 'UNAUTHENTICATED' && apiKey !== undefined;
  const refusal = `${KEY_REFUSED} ${maskKey(apiKey ?? '')}`.replace(/ …$/, '');
  return new ServiceError(code, isRefused ? refusal : error.details.trim() || withoutMessage(code), {
    details: decodePercent(textOf(error.metadata, 'x-error-details') ?? ''),
    cause: error,
    ...(Number.isFinite(retryAfter) ? { retryAfterSeconds: retryAfter } : {}),
  });
}

/** What a proxy between, or another server, answers may have a status and nothing else. */
export function withoutMessage(code: ErrorCode): string {
  return `The server answered with ${code} and no message`;
}

function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(ERROR_CODES, text);
}

/** Statuses that two codes share stand for the one that says least: a limit, a bad argument. */
const CODE_OF_STATUS: ReadonlyMap<number, ErrorCode> = new Map([
  [3, 'INVALID_ARGUMENT'],
  [4, 'DEADLINE_EXCEEDED'],
  [5, 'NOT_FOUND'],
  [6, 'ALREADY_EXISTS'],
  [7, 'PERMISSION_DENIED'],
  [8, 'RESOURCE_EXHAUSTED'],
  [9, 'FAILED_PRECONDITION'],
  [11, 'INVALID_ARGUMENT'],
  [12, 'UNIMPLEMENTED'],
  [UNAVAILABLE, 'UNAVAILABLE'],
  [16, 'UNAUTHENTICATED'],
]);

function codeOfStatus(status: number): ErrorCode {
  return CODE_OF_STATUS.get(status) ?? 'INTERNAL';
}

function textOf(metadata: Metadata | undefined, name: string): string | undefined {
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

/** grpc-js writes whole histories of attempts; the last cause is what helps. */
function connectionDetails({ details }: RpcError): string {
  const cause = /Last error: (?:Error: )?(.*?)(?: Resolution note: .*)?$/.exec(details)?.[1] ?? details;
  if (cause.includes('ECONNREFUSED')) return 'the connection was refused';
  // All that grpc-js says of a connection that ended before the first frame of HTTP/2, with the time of it.
  if (/^Failed to connect(?: \(|$)/.test(cause)) return NOT_GRPC;
  return cause;
}
