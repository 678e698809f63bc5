import { ERROR_CODES, type ErrorCode } from '../../shared/errors.ts';
import { pascalCase } from '../../shared/name-cases.ts';
import type { Operation, RestRoute } from '../../shared/operations/operation.ts';
import { COMMON_HEADERS, headers, RATE_LIMIT_HEADERS } from './headers.ts';
import { type Part, refTo } from './schema.ts';

/** What any call may answer. */
const ALWAYS: readonly ErrorCode[] = ['RESOURCE_EXHAUSTED', 'INTERNAL', 'UNAVAILABLE', 'DEADLINE_EXCEEDED'];

/** Every code that a route may answer. */
export function codesOf(operation: Operation, route: RestRoute): ReadonlySet<ErrorCode> {
  const codes = new Set<ErrorCode>([...ALWAYS, ...operation.errors]);
  if (operation.rpc.input.fields.length > 0) codes.add('INVALID_ARGUMENT');
  if (hasBody(route))
    for (const code of ['INVALID_ARGUMENT', 'INVALID_REQUEST', 'PAYLOAD_TOO_LARGE'] as const) codes.add(code);
  if (operation.auth === 'key') codes.add('UNAUTHENTICATED').add('PERMISSION_DENIED');
  if (route.path.includes('{')) codes.add('NOT_FOUND');
  if (operation.isLacking === true) codes.add('UNIMPLEMENTED');
  return codes;
}

export function hasBody({ method }: RestRoute): boolean {
  return method !== 'GET' && method !== 'DELETE';
}

/** The responses of an operation by status, as references; what they refer to is added to `known`. */
export function errorResponses(codes: ReadonlySet<ErrorCode>, known: Record<string, Part>): Record<string, Part> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of Object.keys(ERROR_CODES) as ErrorCode[]) {
    const { http } = ERROR_CODES[code];
    if (codes.has(code)) byStatus.set(http, [...(byStatus.get(http) ?? []), code]);
  }
  const responses = [...byStatus].map(([status, of]) => {
    const name = of.map((code) => pascalCase(code.toLowerCase())).join('Or');
    known[name] ??= errorResponse(of);
    return [String(status), refTo('responses', name)];
  });
  return Object.fromEntries(responses) as Record<string, Part>;
}

function errorResponse(codes: readonly ErrorCode[]): Part {
  const names = [...COMMON_HEADERS, ...RATE_LIMIT_HEADERS];
  const retry = codes.includes('RESOURCE_EXHAUSTED') || codes.includes('UNAVAILABLE') ? (['Retry-After'] as const) : [];
  const challenge = codes.includes('UNAUTHENTICATED') ? (['WWW-Authenticate'] as const) : [];
  const code = codes[0] ?? 'INTERNAL';
  return {
    description: codes.map((each) => `\`${each}\`: ${ERROR_CODES[each].meaning}.`).join(' '),
    headers: headers([...names, ...retry, ...challenge]),
    content: {
      'application/json': {
        schema: refTo('schemas', 'Error'),
        example: { error: { code, message: ERROR_CODES[code].meaning.replaceAll('`', ''), details: '' } },
      },
    },
  };
}

export const ERROR_SCHEMA: Part = {
  type: 'object',
  description: 'The body of every error.',
  required: ['error'],
  properties: {
    message: { type: 'string', description: 'The message once more; only from a server started with `--sdk-events`.' },
    error: {
      type: 'object',
      required: ['code', 'message', 'details'],
      properties: {
        code: { type: 'string', enum: Object.keys(ERROR_CODES) },
        message: { type: 'string', description: 'A sentence for people.' },
        details: {
          type: 'string',
          description: 'Further facts, or "". Invalid fields are listed as `path: problem`, joined with `; `.',
        },
      },
    },
  },
};
