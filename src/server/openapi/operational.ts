import { LifecycleStateSchema } from '../../shared/gen/service/v1/admin_pb.ts';
import { PROXY_OPERATION } from '../../shared/operations/table.ts';
import { TARGET_NOUNS } from '../../shared/target-kinds.ts';
import { OPERATIONAL_AREA, PROXY_AREA } from './areas.ts';
import { errorResponses } from './error-responses.ts';
import { COMMON_HEADERS, headers } from './headers.ts';
import type { Sections } from './operations.ts';
import type { Part } from './schema.ts';
import { KEYLESS } from './security.ts';

/** Adds the routes that are not in the operations table: the proxy, health, metrics and this document. */
export function addOtherRoutes({ paths, components, responses }: Sections): void {
  const health = components.add('Health', {
    type: 'object',
    required: ['state', 'started'],
    properties: {
      state: components.enumeration(LifecycleStateSchema),
      started: { type: 'boolean' },
      database: {
        type: 'string',
        enum: ['NOT_ANSWERING'],
        description: 'Present only while the database does not answer.',
      },
    },
  });
  for (const [path, { operationId, summary, canFail }] of Object.entries(PROBES)) {
    const content = { 'application/json': { schema: health } };
    const answer = (description: string): Part => ({ description, headers: headers(COMMON_HEADERS), content });
    paths[path] = {
      get: {
        operationId,
        tags: [OPERATIONAL_AREA],
        summary,
        ...KEYLESS,
        responses: { 200: answer('Yes.'), ...(canFail ? { 503: answer('Not now.') } : {}) },
      },
    };
  }
  paths['/metrics'] = { get: metrics(responses) };
  paths['/openapi.json'] = { get: thisDocument('getOpenApi', responses) };
  paths['/v1/openapi.json'] = { get: thisDocument('getOpenApiV1', responses) };
  paths[PROXY_PATH] = Object.fromEntries(
    PROXY_OPERATION.methods.map((method) => [method.toLowerCase(), proxy(method, responses)]),
  );
}

const PROBES = {
  '/health': { operationId: 'getHealth', summary: 'Whether the process runs', canFail: false },
  '/livez': { operationId: 'getLiveness', summary: 'Whether the process runs, with its state', canFail: false },
  '/readyz': {
    operationId: 'getReadiness',
    summary: 'Whether the server is READY and its database answers',
    canFail: true,
  },
  '/startupz': { operationId: 'getStartup', summary: 'Whether STARTING is over', canFail: true },
};

function metrics(responses: Sections['responses']): Part {
  return {
    operationId: 'getMetrics',
    tags: [OPERATIONAL_AREA],
    summary: 'Metrics as Prometheus text',
    security: [{ metricsKey: [] }, {}],
    responses: {
      200: {
        description: 'The metrics of this server.',
        headers: headers(COMMON_HEADERS),
        content: { 'text/plain': { schema: { type: 'string' } } },
      },
      ...errorResponses(new Set(['UNAUTHENTICATED']), responses),
    },
  };
}

function thisDocument(operationId: string, responses: Sections['responses']): Part {
  return {
    operationId,
    tags: [OPERATIONAL_AREA],
    summary: 'This document',
    ...KEYLESS,
    responses: {
      200: {
        description: 'An OpenAPI 3.1 document.',
        headers: headers(['ETag', ...COMMON_HEADERS]),
        content: { 'application/json': { schema: { type: 'object' } } },
      },
      304: { description: 'Nothing has changed since the ETag that the request names.' },
      ...errorResponses(new Set(['RESOURCE_EXHAUSTED', 'UNAVAILABLE']), responses),
    },
  };
}

/** Methods whose bodies mean nothing. */
const BODILESS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS']);

const PROXY_PATH = PROXY_OPERATION.path.replace('*', '{path}');

function proxy(method: string, responses: Sections['responses']): Part {
  const text = { type: 'string' };
  const codes = [
    'INVALID_ARGUMENT',
    'UNAUTHENTICATED',
    'PERMISSION_DENIED',
    'NOT_FOUND',
    'FAILED_PRECONDITION',
    'PAYLOAD_TOO_LARGE',
    'RESOURCE_EXHAUSTED',
    'INTERNAL',
    'UNAVAILABLE',
    'DEADLINE_EXCEEDED',
  ] as const;
  return {
    operationId: `proxy${method.charAt(0)}${method.slice(1).toLowerCase()}`,
    tags: [PROXY_AREA],
    summary: `${method} a path of the provider`,
    description: PROXY_PROSE,
    security: [{ apiKey: [] }, { bearer: [] }],
    parameters: [
      { name: 'kind', in: 'path', required: true, schema: { ...text, enum: [...TARGET_NOUNS] } },
      { name: 'id', in: 'path', required: true, schema: { ...text, format: 'uuid' } },
      { name: 'path', in: 'path', required: true, description: 'May hold slashes.', schema: text },
    ],
    ...(BODILESS.has(method) ? {} : { requestBody: { content: { '*/*': { schema: {} } } } }),
    responses: {
      ...errorResponses(new Set(codes), responses),
      default: { description: "The provider's answer, with its status.", content: { '*/*': { schema: {} } } },
    },
  };
}

const PROXY_PROSE = `Forwards method, query and body to the endpoint of an embedder, reranker or LLM, adds its stored
credential, and streams the answer back. The caller's own credentials and cookies are not forwarded. The query may hold
anything.

Permission: READ of the target and \`${PROXY_OPERATION.permission}_OWN\` or \`_ANY\`.`;
