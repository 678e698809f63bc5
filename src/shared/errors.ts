/**
 * The error table: one row per code, and everything that a failure looks like on any wire follows from it.
 * Status events of a retrieval (FEATURE_DISABLED, PARTIAL_RESULTS …) are not errors and are not listed here.
 */
export const ERROR_CODES = {
  INVALID_ARGUMENT: { http: 400, grpc: 3, exit: 65 },
  INVALID_REQUEST: { http: 400, grpc: 3, exit: 65 },
  UNAUTHENTICATED: { http: 401, grpc: 16, exit: 77 },
  PERMISSION_DENIED: { http: 403, grpc: 7, exit: 77 },
  NOT_FOUND: { http: 404, grpc: 5, exit: 66 },
  ALREADY_EXISTS: { http: 409, grpc: 6, exit: 65 },
  FAILED_PRECONDITION: { http: 412, grpc: 9, exit: 1 },
  PAYLOAD_TOO_LARGE: { http: 413, grpc: 8, exit: 65 },
  RESOURCE_EXHAUSTED: { http: 429, grpc: 8, exit: 75 },
  INTERNAL: { http: 500, grpc: 13, exit: 1 },
  UNIMPLEMENTED: { http: 501, grpc: 12, exit: 1 },
  UNAVAILABLE: { http: 503, grpc: 14, exit: 69 },
  DEADLINE_EXCEEDED: { http: 504, grpc: 4, exit: 75 },
} as const satisfies Record<string, { http: number; grpc: number; exit: number }>;

export type ErrorCode = keyof typeof ERROR_CODES;

export interface ServiceErrorOptions {
  /** Extra facts for the caller, "" when there are none; for bad fields `path: problem` joined with `; `. */
  details?: string;
  /** Seconds after which a repeat may succeed; becomes `Retry-After`. */
  retryAfterSeconds?: number;
  /** An HTTP status that says more than the one of the code. */
  http?: 414 | 415 | 431;
  /** The bad fields that `details` tells of. */
  violations?: readonly Violation[];
  cause?: unknown;
}

/** The one error class. Code inside the service throws it with a code and a sentence; only the edges translate it. */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly details: string;
  readonly retryAfterSeconds: number | undefined;
  readonly http: number;
  readonly violations: readonly Violation[] | undefined;

  constructor(code: ErrorCode, message: string, options: ServiceErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ServiceError';
    this.code = code;
    this.details = options.details ?? '';
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.http = options.http ?? ERROR_CODES[code].http;
    this.violations = options.violations;
  }
}

/** One bad field of a request. `path` is the JSON path as the caller wrote it, e.g. `spaceEmbedders[0].embedderId`. */
export interface Violation {
  path: string;
  problem: string;
  /** The problem repeats what the caller wrote. */
  isQuoting?: true;
}

/** All bad fields of a request in one INVALID_ARGUMENT error. */
export function invalidFields(violations: readonly Violation[], options: { prefix?: string; cause?: unknown } = {}) {
  const count = violations.length === 1 ? '1 invalid field' : `${violations.length} invalid fields`;
  const message = options.prefix === undefined ? `Request has ${count}` : `${options.prefix}: ${count}`;
  const details = violations.map(({ path, problem }) => `${path}: ${problem}`).join('; ');
  return new ServiceError('INVALID_ARGUMENT', message, { details, violations, cause: options.cause });
}
