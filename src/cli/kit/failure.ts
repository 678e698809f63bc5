import { ERROR_CODES, type ErrorCode, RESOURCE_KINDS, type ResourceKind, ServiceError } from '../../shared/errors.ts';
import { EXIT } from '../../shared/exit-codes.ts';
import { onOneLine } from '../../shared/text.ts';
import type { Command } from './command.ts';
import { CommandError, KeyRefused, Unreachable, type WhyUnreachable } from './errors.ts';
import { inFlags } from './fields-in-flags.ts';
import type { Io } from './output/io.ts';
import { durationText } from './text/figures.ts';
import { oneLine, severalLines } from './text/printable.ts';

/** A failure as it is shown: what, why, what to do next, and the exit code. */
export interface Failure {
  exit: number;
  code: string;
  message: string;
  /** "" when there is nothing to add. */
  details: string;
  next: string | undefined;
}

/** Codes whose messages and details say what to correct. */
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

interface FailureOptions {
  io: Io;
  /** The command that failed, undefined when none was recognized. */
  path: string | undefined;
  /** Its record: fields of the request are told by the names of its flags. */
  record: Command | undefined;
  /** The keys of its flags that were given. */
  given: readonly string[];
  debug: boolean;
}

/** Writes a failure on stderr and returns its exit code. */
export async function reportFailure(
  error: unknown,
  { io, path, record, given, debug }: FailureOptions,
): Promise<number> {
  const failure = shownFailure(error, record, given);
  await io.stderr.write(io.isData ? failureJson(failure) : failureText(failure, path));
  if (debug && error instanceof Error) await io.stderr.write(`${severalLines(stackOf(error))}\n`);
  return failure.exit;
}

function shownFailure(error: unknown, record: Command | undefined, given: readonly string[]): Failure {
  const failure = failureOf(error);
  if (!(error instanceof ServiceError) || error.violations === undefined || record === undefined) return failure;
  return { ...failure, details: inFlags(failure.details, error.violations, { ...record, given }) };
}

/** One line in the form of the service's own error bodies. */
export function failureJson({ code, message, details }: Pick<Failure, 'code' | 'message' | 'details'>): string {
  return `${onOneLine(JSON.stringify({ error: { code, message, details } }))}\n`;
}

/** Up to three lines: what, why, what to do next. */
function failureText({ exit, code, message, details, next }: Failure, path: string | undefined): string {
  const help = exit === EXIT.usage ? `Help: svc ${path === undefined ? '' : `${path} `}--help` : undefined;
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
