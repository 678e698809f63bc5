import { ERROR_CODES, ServiceError } from '../shared/errors.ts';
import { durationText } from './render/duration-text.ts';

/** Every exit code but 0. Those that error codes of the service stand for are in their table too. */
export const EXIT = {
  failed: 1,
  usage: 64,
  badInput: 65,
  noInput: 66,
  unavailable: 69,
  bug: 70,
  output: 74,
  tryLater: 75,
  partial: 76,
  denied: 77,
  configuration: 78,
  interrupted: 130,
  terminated: 143,
} as const;

export interface CommandErrorOptions {
  /** What the JSON error carries as its code. */
  code: string;
  exit: number;
  details?: string;
  /** What to do next, without the word "Next". */
  next?: string;
  cause?: unknown;
}

/** A failure of the command itself: wrong flags, missing files, a stream that stopped early. */
export class CommandError extends Error {
  readonly code: string;
  readonly exit: number;
  readonly details: string;
  readonly next: string | undefined;

  constructor(message: string, { code, exit, details = '', next, cause }: CommandErrorOptions) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'CommandError';
    this.code = code;
    this.exit = exit;
    this.details = details;
    this.next = next;
  }
}

/** Wrong flags or arguments (exit 64). */
export function usageError(message: string, options: { details?: string; next?: string } = {}): CommandError {
  return new CommandError(message, { code: 'INVALID_ARGUMENT', exit: EXIT.usage, ...options });
}

/** An input file that is missing or cannot be read (exit 66). `details` say why where no `cause` does. */
export function inputError(message: string, cause?: unknown, details = fileReason(cause)): CommandError {
  return new CommandError(message, { code: 'NOT_FOUND', exit: EXIT.noInput, details, cause });
}

const FILE_REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'a part of its path is not a folder',
  EISDIR: 'it is a folder',
  EACCES: 'this user may not read it',
  EPERM: 'this user may not read it',
  ELOOP: 'its links form a circle',
  ENAMETOOLONG: 'its path is too long',
  ENXIO: 'it is a socket or a device, not a file',
};

function fileReason(cause: unknown): string {
  if (!(cause instanceof Error)) return '';
  return ('code' in cause ? FILE_REASONS[String(cause.code)] : undefined) ?? cause.message;
}

/** Output that cannot be written (exit 74). `what` is a file or `stdout`. */
export function outputError(what: string, cause: unknown): CommandError {
  return new CommandError(`Cannot write ${what === 'stdout' ? 'to stdout' : what}`, {
    code: 'OUTPUT_ERROR',
    exit: EXIT.output,
    details: writeReason(cause),
    next:
      what === 'stdout'
        ? 'What was written there is not complete'
        : 'Correct that or choose another place, and run the command again',
    cause,
  });
}

const WRITE_REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'its folder does not exist',
  EACCES: 'this user may not do that',
  EPERM: 'this user may not do that',
  EROFS: 'its file system is read-only',
  ENOSPC: 'its disk is full',
  EDQUOT: 'its disk quota is used up',
  EFBIG: 'it has reached the largest size that a file may have here',
  EIO: 'its device reports an error',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of its path is not a folder',
  // Of a folder that was to be made.
  EEXIST: 'a part of its path is not a folder',
};

/** Why something cannot be written, in words where the system gives a code. */
export function writeReason(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return ('code' in cause ? WRITE_REASONS[String(cause.code)] : undefined) ?? cause.message;
}

/** A stream that stopped before its last event (exit 76). */
export function partialError(message: string, cause?: unknown): CommandError {
  const details = cause instanceof Error ? cause.message : '';
  return new CommandError(message, {
    code: 'STREAM_ENDED_EARLY',
    exit: EXIT.partial,
    details,
    next: 'Run the command again; what was printed may be incomplete',
    cause,
  });
}

/** The reason of an abort by a signal. The exit code is 128 plus the signal's number. */
export class Interrupted extends Error {
  readonly exit: number;

  constructor(signal: 'SIGINT' | 'SIGTERM') {
    super(`Ended by ${signal}`);
    this.name = 'Interrupted';
    this.exit = signal === 'SIGINT' ? EXIT.interrupted : EXIT.terminated;
  }
}

/** The reader of stdout went away: the command ends quietly with 0. */
export class OutputClosed extends Error {
  constructor() {
    super('The reader of the output went away');
    this.name = 'OutputClosed';
  }
}

/** A failure as it is shown: what, why, what to do next, and the exit code. */
export interface Failure {
  exit: number;
  code: string;
  message: string;
  /** "" when there is nothing to add. */
  details: string;
  next: string | undefined;
}

const NEXT: Partial<Record<keyof typeof ERROR_CODES, string>> = {
  UNAUTHENTICATED:
    'Give a key with --api-key-file FILE or SVC_API_KEY; a new server makes its first one with: svc init',
  PERMISSION_DENIED: 'Use a key that has this permission',
  RESOURCE_EXHAUSTED: 'Try again later',
  DEADLINE_EXCEEDED: 'Try again later',
  INTERNAL: 'Look for this request id in the log of the server',
  UNIMPLEMENTED: 'Compare the versions: svc --version and svc system info',
  UNAVAILABLE: 'Try again later. To see how the server is: svc health',
};

/** Where to look for what the service does not find or has already, by the noun in its message. */
const LISTS: Readonly<Record<string, string>> = {
  Space: 'svc spaces list',
  Memory: 'svc memories list SPACE',
  Embedder: 'svc embedders list',
  LLM: 'svc llms list',
  Reranker: 'svc rerankers list',
  User: 'svc users list',
  'API key': 'svc apikeys list',
  Target: 'svc embedders list, svc llms list, svc rerankers list',
};

const ABOUT: Partial<Record<keyof typeof ERROR_CODES, RegExp>> = {
  NOT_FOUND: /^(.+) not found: /,
  ALREADY_EXISTS: /^An? (.+?) (?:with|of) /,
};

/** A name where an id belongs: `embedderId: not a UUID`. */
const NO_ID = /(?:^|[\s.])(\w+?)_?[Ii]ds?(?:\[\d+\])?: not a UUID/;

/** `API key`, `apiKey` and `api_key` are one noun. */
function bare(noun: string): string {
  return noun.replace(/[ _]/g, '').toLowerCase();
}

/** How the message about a key begins that the server does not know, or no longer. */
export const KEY_REFUSED = 'The server does not accept the API key';

/** How the message begins when nothing at all answers. */
export const NO_CONNECTION = 'Cannot connect to ';

/** Why, when something answers that speaks no gRPC on these terms. */
export const NOT_GRPC = 'it accepted the connection and closed it again';

/** Why, when the name of the server leads nowhere. */
export const NO_HOST = 'there is no such host';

function nextOf({ code, message, details, retryAfterSeconds }: ServiceError): string | undefined {
  if (retryAfterSeconds !== undefined) return `Try again in ${durationText(Math.max(1, retryAfterSeconds) * 1000)}`;
  if (message.startsWith(NO_CONNECTION) && details === NOT_GRPC)
    return 'Check that this is the gRPC port, and check --tls: a server with TLS does not accept plaintext';
  if (message.startsWith(NO_CONNECTION) && details === NO_HOST) {
    return 'Check the name of the server. To see where it comes from: svc config';
  }
  if (message.startsWith(NO_CONNECTION)) return 'Is the server running? Start one with: svc serve --embedded';
  if (message.startsWith(KEY_REFUSED)) {
    return 'It may be expired, inactive, deleted or of another server. To see where it comes from: svc config';
  }
  const noun = ABOUT[code]?.exec(message)?.[1] ?? NO_ID.exec(details)?.[1];
  const [, list] = Object.entries(LISTS).find(([name]) => bare(name) === bare(noun ?? '')) ?? [];
  return list === undefined ? NEXT[code] : `See what there is: ${list}`;
}

export function failureOf(error: unknown): Failure {
  if (error instanceof CommandError) {
    const { exit, code, message, details, next } = error;
    return { exit, code, message, details, next };
  }
  if (error instanceof ServiceError) {
    const { code, message, details } = error;
    return { exit: ERROR_CODES[code].exit, code, message, details, next: nextOf(error) };
  }
  const message = error instanceof Error ? error.message : String(error);
  return {
    exit: EXIT.bug,
    code: 'INTERNAL',
    message: `This is a bug in svc: ${message}`,
    details: '',
    next: 'Run the command again with --debug and report what it prints',
  };
}
