import { ServiceError } from '../../shared/errors.ts';
import { onOneLine } from '../../shared/json/one-line.ts';
import type { Command } from '../command.ts';
import { type Failure, failureOf } from '../failure.ts';
import { inFlags } from '../flags/fields.ts';
import type { Io } from '../io.ts';
import { oneLine, severalLines } from './printable.ts';

export interface FailureOptions {
  io: Io;
  /** The command that failed, undefined when none was recognised. */
  path: string | undefined;
  /** Its record: fields of the request are told by the names of its flags. */
  record: Command | undefined;
  debug: boolean;
}

/** Writes a failure on stderr and returns its exit code. */
export async function reportFailure(error: unknown, { io, path, record, debug }: FailureOptions): Promise<number> {
  const failure = shownFailure(error, record);
  await io.stderr.write(io.isData ? failureJson(failure) : failureText(failure, path));
  if (debug && error instanceof Error) await io.stderr.write(`${severalLines(stackOf(error))}\n`);
  return failure.exit;
}

function shownFailure(error: unknown, record: Command | undefined): Failure {
  const failure = failureOf(error);
  const isAboutFields = error instanceof ServiceError && error.code === 'INVALID_ARGUMENT';
  return isAboutFields && record !== undefined ? { ...failure, details: inFlags(failure.details, record) } : failure;
}

/** One line in the form of the service's own error bodies. */
export function failureJson({ code, message, details }: Pick<Failure, 'code' | 'message' | 'details'>): string {
  return `${onOneLine(JSON.stringify({ error: { code, message, details } }))}\n`;
}

/** Up to three lines: what, why, what to do next. */
function failureText({ exit, code, message, details, next }: Failure, path: string | undefined): string {
  const help = exit === 64 ? `Help: svc ${path === undefined ? '' : `${path} `}--help` : undefined;
  const lines = [`svc: ${oneLine(message)}`];
  // The server's details of this code tell how to send a key over REST; the next step tells how to give it here.
  if (details !== '' && code !== 'UNAUTHENTICATED') lines.push(`  ${oneLine(details)}`);
  if (next !== undefined) lines.push(`  ${oneLine(next)}`);
  else if (help !== undefined) lines.push(`  ${help}`);
  return `${lines.join('\n')}\n`;
}

function stackOf(error: Error): string {
  const cause = error.cause instanceof Error ? `\nCaused by: ${stackOf(error.cause)}` : '';
  return `${error.stack ?? error.message}${cause}`;
}
