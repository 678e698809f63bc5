import { EXIT } from './exit-codes.ts';

/**
 * The error table: one row per code, and everything that a failure looks like on any wire follows from it.
 * Status events of a retrieval (FEATURE_DISABLED, PARTIAL_RESULTS …) are not errors and are not listed here.
 */
export const ERROR_CODES = {
  INVALID_ARGUMENT: {
    http: 400,
    grpc: 3,
    exit: EXIT.badInput,
    meaning: 'A field is missing, unknown or has a value that it cannot have',
    next: 'Correct the fields that the details name',
  },
  INVALID_REQUEST: {
    http: 400,
    grpc: 3,
    exit: EXIT.badInput,
    meaning: 'The body is not what its content type says, or has none that is supported',
    next: 'Correct the form of the request',
  },
  UNAUTHENTICATED: {
    http: 401,
    grpc: 16,
    exit: EXIT.denied,
    meaning: 'No usable credential',
    next: 'Give a key with --api-key-file FILE or SVC_API_KEY; a new server makes its first one with: svc init',
  },
  PERMISSION_DENIED: {
    http: 403,
    grpc: 7,
    exit: EXIT.denied,
    meaning: 'The key lacks the permission',
    next: 'Use a key that has this permission',
  },
  NOT_FOUND: {
    http: 404,
    grpc: 5,
    exit: EXIT.noInput,
    meaning: 'The resource does not exist',
    next: 'Look in the list of these resources',
  },
  ALREADY_EXISTS: {
    http: 409,
    grpc: 6,
    exit: EXIT.badInput,
    meaning: 'The id, name or target is taken',
    next: 'Use the one that exists, or choose another id, name or target',
  },
  FAILED_PRECONDITION: {
    http: 412,
    grpc: 9,
    exit: EXIT.failed,
    meaning: 'The resource is in use or in the wrong state',
    next: 'First change the state that the message and the details name',
  },
  PAYLOAD_TOO_LARGE: {
    http: 413,
    grpc: 8,
    exit: EXIT.badInput,
    meaning: 'The body or the content is larger than its limit',
    next: 'Send less at once',
  },
  RESOURCE_EXHAUSTED: {
    http: 429,
    grpc: 8,
    exit: EXIT.tryLater,
    meaning: 'A limit is used up',
    next: 'Try again later',
  },
  INTERNAL: {
    http: 500,
    grpc: 13,
    exit: EXIT.failed,
    meaning: 'The server failed; `details` holds the request id',
    next: 'Look for this request id in the log of the server',
  },
  UNIMPLEMENTED: {
    http: 501,
    grpc: 12,
    exit: EXIT.failed,
    meaning: 'This build does not have the feature',
    next: 'Compare the versions: svc --version and svc system info',
  },
  UNAVAILABLE: {
    http: 503,
    grpc: 14,
    exit: EXIT.unavailable,
    meaning: 'The server is not ready, is draining, or lacks its database; nothing was done, and a repeat is safe',
    next: 'Try again later. To see how the server is: svc health',
  },
  DEADLINE_EXCEEDED: {
    http: 504,
    grpc: 4,
    exit: EXIT.tryLater,
    meaning: 'A provider or the database did not answer in time',
    next: 'Try again later',
  },
} as const satisfies Record<string, CodeRow>;

interface CodeRow {
  /** The statuses of the wires, and the exit code of the client. */
  http: number;
  grpc: number;
  exit: number;
  /** When it is answered, for readers of the API description. */
  meaning: string;
  /** What to do where nothing else is known of the failure. */
  next: string;
}

export type ErrorCode = keyof typeof ERROR_CODES;

export function isErrorCode(text: string | undefined): text is ErrorCode {
  return text !== undefined && Object.hasOwn(ERROR_CODES, text);
}

const ROWS = Object.entries(ERROR_CODES) as [ErrorCode, CodeRow][];

/**
 * By gRPC status. Of two codes with one status stands here the one of that name, the code that says least: the service
 * itself names its code beside the status, so that a bare RESOURCE_EXHAUSTED is the limit of a proxy between. OUT_OF_RANGE is
 * an argument that cannot be either.
 */
const CODE_OF_GRPC: ReadonlyMap<number, ErrorCode> = new Map([
  ...ROWS.map(([code, { grpc }]): [number, ErrorCode] => [grpc, code]),
  [ERROR_CODES.INVALID_ARGUMENT.grpc, 'INVALID_ARGUMENT'],
  [ERROR_CODES.RESOURCE_EXHAUSTED.grpc, 'RESOURCE_EXHAUSTED'],
  [11, 'INVALID_ARGUMENT'],
]);

/** The code that a gRPC status stands for where none is named; INTERNAL for a status that no code has. */
export function codeOfGrpc(status: number | undefined): ErrorCode {
  return (status === undefined ? undefined : CODE_OF_GRPC.get(status)) ?? 'INTERNAL';
}

/** The first code with that HTTP status, INTERNAL for a status that no code has. */
export function codeOfHttp(status: number): ErrorCode {
  return ROWS.find(([, { http }]) => http === status)?.[0] ?? 'INTERNAL';
}

/** The resources that an error may be about, as messages name them. A target is an embedder, an LLM or a reranker. */
export const RESOURCE_KINDS = ['Space', 'Memory', 'Embedder', 'LLM', 'Reranker', 'User', 'API key', 'Target'] as const;

export type ResourceKind = (typeof RESOURCE_KINDS)[number];

/** The resource that an error is about: of NOT_FOUND the one that is not there, of ALREADY_EXISTS the one that is. */
export interface Resource {
  kind: ResourceKind;
  /** Its id, or another key that the caller named it by; left out where that is not known. */
  id?: string;
}

export interface ServiceErrorOptions {
  /** Extra facts for the caller, "" when there are none; for bad fields `path: problem` joined with `; `. */
  details?: string;
  /** Seconds after which a repeat may succeed; becomes `Retry-After`. */
  retryAfterSeconds?: number | undefined;
  /** An HTTP status that says more than the one of the code. */
  http?: 414 | 415 | 431;
  /** The bad fields that `details` tells of. */
  violations?: readonly Violation[] | undefined;
  /** Left out where the error is not about one resource. */
  resource?: Resource | undefined;
  cause?: unknown;
}

/**
 * The one error class. Code inside the service throws it with a code and a sentence; only the transports translate it.
 */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly details: string;
  readonly retryAfterSeconds: number | undefined;
  readonly http: number;
  readonly violations: readonly Violation[] | undefined;
  readonly resource: Resource | undefined;

  constructor(code: ErrorCode, message: string, options: ServiceErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ServiceError';
    this.code = code;
    this.details = options.details ?? '';
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.http = options.http ?? ERROR_CODES[code].http;
    this.violations = options.violations;
    this.resource = options.resource;
  }
}

/** A kind of problem that callers tell apart. */
export type ViolationReason = 'NOT_A_UUID';

/** One bad field of a request. `path` is the JSON path as the caller wrote it, e.g. `spaceEmbedders[0].embedderId`. */
export interface Violation {
  path: string;
  problem: string;
  /** Which problem it is, where that matters to callers. */
  reason?: ViolationReason;
  /** The problem repeats what the caller wrote. */
  isQuoting?: true;
}

/** The most code points of a path, and of a problem, in the google.rpc details of an error; `details` has all of them. */
export const MOST_FIELD_CHARACTERS = 200;

/** All bad fields of a request in one INVALID_ARGUMENT error. */
export function invalidFields(violations: readonly Violation[], options: { prefix?: string; cause?: unknown } = {}) {
  const count = violations.length === 1 ? '1 invalid field' : `${violations.length} invalid fields`;
  const message = options.prefix === undefined ? `Request has ${count}` : `${options.prefix}: ${count}`;
  return new ServiceError('INVALID_ARGUMENT', message, {
    details: violationsText(violations),
    violations,
    cause: options.cause,
  });
}

/** Bad fields as the details of an error tell them. */
export function violationsText(violations: readonly Violation[]): string {
  return violations.map(({ path, problem }) => `${path}: ${problem}`).join('; ');
}

/** What is wrong with an id that no resource can have. */
export const NOT_A_UUID = { problem: 'not a UUID', reason: 'NOT_A_UUID' } as const satisfies Omit<Violation, 'path'>;

/** What is wrong with an item of a list that may hold each only once. */
export const DUPLICATE = { problem: 'is a duplicate of an earlier item' } as const satisfies Omit<Violation, 'path'>;

type FaultOptions = Pick<ServiceErrorOptions, 'details' | 'resource' | 'cause'>;

/** There is no resource with that id, or other key. */
export function notFound(kind: ResourceKind, id: string, { cause }: { cause?: unknown } = {}): ServiceError {
  return new ServiceError('NOT_FOUND', `${kind} not found: ${id}`, { resource: { kind, id }, cause });
}

/**
 * A resource of the kind has what the caller wants for another one. `which` says what, e.g. `with this id`; `where` how far
 * that is so, e.g. `for this owner`.
 */
export function alreadyExists(
  kind: ResourceKind,
  which: string,
  { where, cause }: { where?: string; cause?: unknown } = {},
): ServiceError {
  const sentence = `${withArticle(kind)} ${which} exists already${where === undefined ? '' : ` ${where}`}`;
  return new ServiceError('ALREADY_EXISTS', sentence, { resource: { kind }, cause });
}

/** The operation is not possible in the current state, which the message names. */
export function failedPrecondition(message: string, options: FaultOptions = {}): ServiceError {
  return new ServiceError('FAILED_PRECONDITION', message, options);
}

/** No operation has that method and path. */
export function noSuchRoute(method: string, path: string, details = ''): ServiceError {
  return new ServiceError('NOT_FOUND', `No such route: ${method} ${path}`, { details });
}

/** The call came without a key that the server knows. */
export function keyRequired(): ServiceError {
  return new ServiceError('UNAUTHENTICATED', 'A usable API key is required', {
    details: 'send it in the header x-api-key, or as Authorization: Bearer KEY',
  });
}

function withArticle(kind: ResourceKind): string {
  // Names that begin with a capital of their own keep it.
  const noun = /^[A-Z]{2}/.test(kind) ? kind : kind.toLowerCase();
  return `${/^[AEIO]|^LLM/.test(kind) ? 'An' : 'A'} ${noun}`;
}
