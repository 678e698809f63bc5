import type { DescMessage } from '@bufbuild/protobuf';
import type { Operation, RestRoute, RouteRow } from './operation.ts';

/**
 * Of the request line and the headers, in bytes. A retrieval by GET has to fit: a message and a filter of 10,000 code points
 * each, which take up to 12 bytes percent-encoded, beside a hundred space ids and the headers.
 */
export const MAX_HEAD_BYTES = 2 * 10_000 * 12 + 32 * 1024;

/** The forms of the REST routes: created, got, posted, put, patched or deleted. */
export const created = (path: string, location: string, more: Partial<RouteRow> = {}): RouteRow => ({
  method: 'POST',
  path,
  success: 201,
  location,
  ...more,
});
export const got = (path: string, more: Partial<RouteRow> = {}): RouteRow => ({
  method: 'GET',
  path,
  success: 200,
  ...more,
});
export const posted = (path: string, more: Partial<RouteRow> = {}): RouteRow => ({
  ...got(path, more),
  method: 'POST',
});
export const put = (path: string): RouteRow => ({ method: 'PUT', path, success: 200 });
export const patched = (path: string): RouteRow => ({ method: 'PATCH', path, success: 200 });
export const deleted = (path: string): RouteRow => ({ method: 'DELETE', path, success: 204 });

/** A route with what is worth working out once. */
export interface CompiledRoute {
  operation: Operation;
  route: RestRoute;
  /** Fields of the path, as they stand in it. */
  pathFields: readonly string[];
  queryFields: readonly string[];
  /** What the body describes: the request itself or, for a stream of client messages, its first one. */
  bodyMessage: DescMessage;
}

export function compileRoute(operation: Operation, route: RestRoute): CompiledRoute {
  const pathFields = [...route.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
  const { input } = operation.rpc;
  const inPath = input.fields.filter((field) => pathFields.includes(field.jsonName));
  // What the path has chosen of several members, no query may choose otherwise.
  const chosen = inPath.flatMap((field) => field.oneof?.fields ?? [field]);
  const own = input.fields.filter((field) => !chosen.includes(field)).map((field) => field.jsonName);
  const wrapped = input.fields.find((field) => field.localName === route.bodyField)?.message;
  return {
    operation,
    route,
    pathFields,
    queryFields: route.query ?? (route.method === 'GET' ? own : []),
    bodyMessage: wrapped ?? input,
  };
}
