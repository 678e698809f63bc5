import { type ErrorCode, ServiceError, type ServiceErrorOptions } from '../../shared/errors.ts';
import { EXIT } from '../../shared/exit-codes.ts';

interface CommandErrorOptions {
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

interface ConfigurationErrorOptions {
  details?: string;
  /** What to do next. */
  next?: string;
  cause?: unknown;
}

/** The config file or what it says cannot be used (exit 78). */
export class ConfigurationError extends CommandError {
  constructor(message: string, options: ConfigurationErrorOptions = {}) {
    super(message, { code: 'CONFIGURATION_ERROR', exit: EXIT.configuration, ...options });
    this.name = 'ConfigurationError';
  }
}

/**
 * What is known of a server that cannot be reached: its name leads nowhere, something answers that speaks no gRPC on these
 * terms, or nothing answers.
 */
export type WhyUnreachable = 'no host' | 'not gRPC' | 'no answer';

/** There is no connection to the server. `details` say why, for people. */
export class Unreachable extends ServiceError {
  readonly why: WhyUnreachable;

  constructor(authority: string, details: string, { why, cause }: { why: WhyUnreachable; cause?: unknown }) {
    super('UNAVAILABLE', `Cannot connect to ${authority}`, { details, cause });
    this.why = why;
  }
}

/** The server does not know the key that was sent, or no longer. */
export class KeyRefused extends ServiceError {
  /** `maskedKey` may be shown; it ends in an ellipsis on its own where nothing of the key may be. */
  constructor(maskedKey: string, options: ServiceErrorOptions) {
    super('UNAUTHENTICATED', `The server does not accept the API key ${maskedKey}`.replace(/ …$/, ''), options);
  }
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

/** Whether the service answered with one of these codes. */
export function hasCode(error: unknown, ...codes: readonly ErrorCode[]): error is ServiceError {
  return error instanceof ServiceError && codes.includes(error.code);
}
