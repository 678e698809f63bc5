import { ERROR_CODES, type ErrorCode } from '../../src/shared/errors.ts';
import type { RestRoute } from '../../src/shared/operations/operation.ts';
import { OPERATIONS, type OperationKey } from '../../src/shared/operations/table.ts';
import { expectDescribed } from './described.ts';
import type { Answer, CallOptions, Json, Wire } from './wire.ts';

type Members = Readonly<Record<string, unknown>>;

/** REST, driven by the operations table: which members go into path, query and body follows from the route. */
export function restWire(base: string): Wire {
  return {
    name: 'REST',
    async call(operation, request = {}, options = {}) {
      const route = routeFor(operation, request);
      const response = await fetch(`${base}${urlOf(route, request)}`, {
        method: route.method,
        headers: headersOf(route, options),
        ...(hasBody(route) ? { body: JSON.stringify(bodyOf(route, request)) } : {}),
        ...(options.signal === undefined ? {} : { signal: options.signal }),
      });
      expectHeaders(response);
      const answer = await answerOf(response, route);
      expectAsDescribed(response, route, answer);
      return answer;
    },
    close() {},
  };
}

/** Of several routes, the one whose path can be filled from the request. */
function routeFor(key: OperationKey, request: Members): RestRoute {
  const routes: readonly RestRoute[] = OPERATIONS[key].rest;
  const fitting = routes.filter((route) => pathNames(route).every((name) => request[name] !== undefined));
  const route =
    fitting.sort((a, b) => pathNames(b).length - pathNames(a).length).find((candidate) => !candidate.fromQuery) ??
    fitting[0];
  if (route === undefined) throw new Error(`no REST route of ${key} fits the request`);
  return route;
}

function pathNames(route: RestRoute): string[] {
  return [...route.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
}

function hasBody({ method }: RestRoute): boolean {
  return method !== 'GET' && method !== 'DELETE';
}

function isInQuery(route: RestRoute, name: string): boolean {
  return route.query?.includes(name) ?? !hasBody(route);
}

function urlOf(route: RestRoute, request: Members): string {
  const inPath = pathNames(route);
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(request[name])));
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(request)) {
    if (inPath.includes(name) || !isInQuery(route, name) || value === undefined) continue;
    if (name === 'label')
      for (const [key, text] of Object.entries(value as object)) query.append(`label.${key}`, String(text));
    else query.append(name, Array.isArray(value) ? value.join(',') : String(value));
  }
  return query.size === 0 ? path : `${path}?${query}`;
}

function bodyOf(route: RestRoute, request: Members): Members {
  const inPath = pathNames(route);
  return Object.fromEntries(
    Object.entries(request).filter(([name]) => !inPath.includes(name) && !isInQuery(route, name)),
  );
}

function headersOf(route: RestRoute, { key, initToken }: CallOptions): Record<string, string> {
  return {
    ...(hasBody(route) ? { 'content-type': 'application/json' } : {}),
    ...(key === undefined ? {} : { 'x-api-key': key }),
    ...(initToken === undefined ? {} : { 'x-service-init-token': initToken }),
  };
}

/** What every response must carry, whatever it says. */
function expectHeaders({ headers, url }: Response): void {
  for (const name of ['x-request-id', 'x-service-version'])
    if (!headers.get(name)) throw new Error(`${url} answered without ${name}`);
}

/** Whatever a scenario is about, what it was answered must be what the API description tells. */
function expectAsDescribed({ status, headers }: Response, { method, path, response }: RestRoute, answer: Answer): void {
  const told = { method, path, status, headers: new Set(headers.keys()) };
  if (!answer.ok) {
    const { code, message, details } = answer;
    // What a build lacks stands in the description that this build serves, and not in that of a complete one.
    if (code === 'UNIMPLEMENTED') return;
    expectDescribed({ ...told, body: { error: { code, message, details } } });
  } else if (response === 'events') for (const body of answer.events) expectDescribed({ ...told, body });
  else expectDescribed(response === 'message' ? { ...told, body: answer.body } : told);
}

async function answerOf(response: Response, route: RestRoute): Promise<Answer> {
  if (!response.ok) {
    const { error } = (await response.json()) as { error: { code: ErrorCode; message: string; details: string } };
    if (ERROR_CODES[error.code].http !== response.status)
      throw new Error(`${error.code} came with the status ${response.status}`);
    return { ok: false, ...error, events: [] };
  }
  if (response.status !== route.success)
    throw new Error(`${route.method} ${route.path} answered ${response.status}, not ${route.success}`);
  switch (route.response) {
    case 'none': {
      const length = (await response.arrayBuffer()).byteLength;
      if (length > 0) throw new Error(`${route.method} ${route.path} answered a body of ${length} bytes`);
      return { ok: true, body: {}, events: [] };
    }
    case 'events':
      return { ok: true, body: {}, events: linesOf(await response.text()) };
    case 'content':
    case 'text':
      return {
        ok: true,
        body: { contentType: response.headers.get('content-type'), data: Buffer.from(await response.arrayBuffer()) },
        events: [],
      };
    default:
      return { ok: true, body: (await response.json()) as Json, events: [] };
  }
}

function linesOf(text: string): Json[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Json);
}
