import { beforeEach, expect } from 'vitest';
import type { Command } from '../../../src/cli/kit/command.ts';
import {
  type ErrorCode,
  invalidFields,
  type Resource,
  type ResourceKind,
  ServiceError,
  type Violation,
} from '../../../src/shared/errors.ts';
import { refusal } from '../../support/client/grpc-failure.fixture.ts';
import type { Handlers } from '../../support/client/grpc-server.fixture.ts';
import type { CliOptions, CliResult } from '../../support/client/host.fixture.ts';
import { registeredCommands, SAMPLE_WORDS } from './sample-lines.fixture.ts';
import { SAMPLE_HANDLERS } from './sample-records.fixture.ts';
import { useSampleService } from './sample-service.fixture.ts';
import { id } from './samples/values.fixture.ts';

interface Answer {
  message: string;
  details?: string;
  retryAfter?: number;
  resource?: Resource;
  violations?: readonly Violation[];
}

const INVALID = invalidFields([
  { path: 'labels["team"]', problem: 'must have at most 255 characters' },
  { path: 'spaceEmbedders[0].embedderId', problem: 'is not a UUID' },
]);

/** What each code looks like when the server sends it. */
export const ANSWERS: Readonly<Partial<Record<ErrorCode, Answer>>> = {
  INVALID_ARGUMENT: { message: INVALID.message, details: INVALID.details, violations: INVALID.violations ?? [] },
  UNAUTHENTICATED: {
    message: 'A usable API key is required',
    details: 'send it in the header x-api-key, or as Authorization: Bearer KEY',
  },
  PERMISSION_DENIED: { message: 'The key lacks the permission CREATE_SPACE_ANY' },
  ALREADY_EXISTS: {
    message: 'A space with this name exists already for this owner',
    resource: { kind: 'Space' },
  },
  FAILED_PRECONDITION: { message: 'The user still owns resources', details: '2 spaces, 1 embedder' },
  RESOURCE_EXHAUSTED: {
    message: 'Too many requests',
    details: 'limit 1000 per 86400 s; retry after 7200 s',
    retryAfter: 7200,
  },
  UNIMPLEMENTED: { message: 'This build does not have the OcrService' },
  INTERNAL: { message: 'The server failed to answer', details: '01980000-0000-7000-8000-00000000abcd' },
  UNAVAILABLE: { message: 'The server is draining and accepts no more writes' },
  DEADLINE_EXCEEDED: { message: 'The deadline has passed' },
};

const KINDS = ['Space', 'Embedder', 'LLM', 'Reranker', 'User', 'Memory', 'API key'] as const;

/** What the server says when the record that a call is about is not there. */
function notFoundBy(rpc: string): Answer {
  if (/^(ListMemories|ListChunks|RetrieveMemory|BatchCreateMemory)$/.test(rpc)) {
    return aboutMissing('Space', id('b1'));
  }
  return aboutMissing(
    KINDS.find((kind) => rpc.toLowerCase().includes(kind.toLowerCase().replace(' ', ''))) ?? 'Target',
    id('00'),
  );
}

function aboutMissing(kind: ResourceKind, missing: string): Answer {
  return { message: `${kind} not found: ${missing}`, resource: { kind, id: missing } };
}

/** The commands that can be told so, when not all can, or a few that stand for all where it is the same everywhere. */
export const WHERE: Readonly<Partial<Record<ErrorCode, RegExp>>> = {
  ALREADY_EXISTS: /create|copy|update/,
  FAILED_PRECONDITION: /delete|update|reprocess/,
  INTERNAL: /list|create|retrieve/,
  DEADLINE_EXCEEDED: /list|create|retrieve/,
};

/** How the stand-in of the server answers. */
interface Behavior {
  failing: ErrorCode | undefined;
  /** Lists have nothing in them. */
  isEmpty: boolean;
}

function failIfAsked(server: Behavior, rpc: string): Error | undefined {
  if (server.failing === undefined) return undefined;
  const {
    message,
    details = '',
    retryAfter,
    resource,
    violations,
  }: Answer = server.failing === 'NOT_FOUND' ? notFoundBy(rpc) : (ANSWERS[server.failing] ?? { message: '' });
  return refusal(
    new ServiceError(server.failing, message, { details, resource, violations, retryAfterSeconds: retryAfter }),
  );
}

const { unary = {}, stream = {} } = SAMPLE_HANDLERS;
const handlersOf = (server: Behavior): Handlers => ({
  unary: Object.fromEntries(
    Object.entries(unary).map(([rpc, answer]) => [
      rpc,
      (call) => {
        const error = failIfAsked(server, rpc);
        if (error !== undefined) throw error;
        return server.isEmpty && /^(List|Diagnose|OcrDocument)/.test(rpc) ? {} : answer(call);
      },
    ]),
  ),
  stream: Object.fromEntries(
    Object.entries(stream).map(([rpc, answer]) => [
      rpc,
      (call, send) => {
        const error = failIfAsked(server, rpc);
        if (error !== undefined) call.emit('error', error);
        else answer(call, send);
      },
    ]),
  ),
});

export const commands = await registeredCommands();
/** Those that call the server. */
export const CALLING = commands.filter(({ path }) => !/^(serve|config|profile .*|completion|help)$/.test(path));

export interface Situation {
  path: string;
  words: readonly string[];
  options?: CliOptions;
}

/** The words of a command that works. */
export const working = (path: string): string[] => [...path.split(' '), ...(SAMPLE_WORDS[path] ?? [])];

/** What is wrong, why, what to do: two lines at least, three at most, nothing on stdout. What was under way may tell its end before. */
function requireForm({ code, stdout, stderr }: CliResult, { line, exit }: { line: string; exit: number }): void {
  expect({ code, stdout }, `${line}\n${stderr}`).toEqual({ code: exit, stdout: '' });
  expect(stderr.slice(stderr.search(/^svc: /m)), line).toMatch(/^svc: [^\n]*[^\n.](\n {2}\S[^\n]*[^\n.]){1,2}\n$/);
  expect(stderr, line).not.toMatch(/undefined|\[object|[^\P{Cc}\n]/u);
}

export const isNeeded = ({ args }: Command): boolean => Object.values(args).some(({ term }) => term.startsWith('<'));
export const flagsOf = ({ flags }: Command) => Object.values(flags);

/** The sample service, which answers as the test wants; every test begins with one that answers as it should. */
export function useFailingService() {
  const server: Behavior = { failing: undefined, isEmpty: false };
  beforeEach(() => {
    server.failing = undefined;
    server.isEmpty = false;
  });
  const sample = useSampleService(handlersOf(server));
  /** Runs the lines and puts those together that are told the same; `COMMAND` stands for the command. */
  const told = async (situations: readonly Situation[], exit: number): Promise<string> => {
    const groups = new Map<string, string[]>();
    for (const { path, words, options } of situations) {
      const result = await sample.svc(words, options);
      requireForm(result, { line: words.join(' '), exit });
      const text = result.stderr
        .replace(new RegExp(`(Usage: |Help: |^svc: )svc ${path}(?= |$)`, 'gm'), '$1svc COMMAND')
        .replaceAll(`:${sample.server.port}`, ':9090');
      groups.set(text, [...(groups.get(text) ?? []), path]);
    }
    const parts = [...groups].map(([text, paths]) => `${text}    (${[...new Set(paths)].join(', ')})\n`);
    return `\n${parts.join('\n')}`;
  };
  return { server, sample, told };
}
