import { ERROR_CODES, type ErrorCode, RESOURCE_KINDS, type ResourceKind, ServiceError } from '../shared/errors.ts';
import { KeyRefused, Unreachable, type WhyUnreachable } from './client/connection-errors.ts';
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

/** Their messages and details say what to correct: there is nothing to add. */
const SAY_ENOUGH: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'INVALID_ARGUMENT',
  'INVALID_REQUEST',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'FAILED_PRECONDITION',
  'PAYLOAD_TOO_LARGE',
]);

/** Where to look for what the service does not find or has already. */
const LISTS: Readonly<Record<ResourceKind, string>> = {
  Space: 'svc spaces list',
  Memory: 'svc memories list SPACE',
  Embedder: 'svc embedders list',
  LLM: 'svc llms list',
  Reranker: 'svc rerankers list',
  User: 'svc users list',
  'API key': 'svc apikeys list',
  Target: 'svc embedders list, svc llms list, svc rerankers list',
};

/** The name of a field that holds ids: `embedderId`, `space_embedders[0].embedder_id`, `memoryIds[2]`. */
const ID_FIELD = /(?:^|\.)(\w+?)_?[Ii]ds?(?:\[\d+\])?$/;

/** What a field holds the ids of: `apiKeyId` and `api_key_id` those of API keys. */
function kindOfField(path: string): ResourceKind | undefined {
  const noun = ID_FIELD.exec(path)?.[1];
  return RESOURCE_KINDS.find((kind) => bare(kind) === bare(noun ?? ''));
}

/** `API key`, `apiKey` and `api_key` are one noun. */
function bare(noun: string): string {
  return noun.replace(/[ _]/g, '').toLowerCase();
}

const TO_CONNECT: Readonly<Record<WhyUnreachable, string>> = {
  'not gRPC': 'Check that this is the gRPC port, and check --tls: a server with TLS does not accept plaintext',
  'no host': 'Check the name of the server. To see where it comes from: svc config',
  'no answer': 'Is the server running? Start one with: svc serve --embedded',
};

/** What was looked for, or was there already, or was named by something that is no id. */
function lookedFor({ code, resource, violations = [] }: ServiceError): ResourceKind | undefined {
  if (resource !== undefined && (code === 'NOT_FOUND' || code === 'ALREADY_EXISTS')) return resource.kind;
  const named = violations.filter(({ reason }) => reason === 'NOT_A_UUID').map(({ path }) => kindOfField(path));
  return named.find((kind) => kind !== undefined);
}

function nextOf(error: ServiceError): string | undefined {
  const { code, retryAfterSeconds } = error;
  if (retryAfterSeconds !== undefined) return `Try again in ${durationText(Math.max(1, retryAfterSeconds) * 1000)}`;
  if (error instanceof Unreachable) return TO_CONNECT[error.why];
  if (error instanceof KeyRefused) {
    return 'It may be expired, inactive, deleted or of another server. To see where it comes from: svc config';
  }
  const kind = lookedFor(error);
  if (kind !== undefined) return `See what there is: ${LISTS[kind]}`;
  return SAY_ENOUGH.has(code) ? undefined : ERROR_CODES[code].next;
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
