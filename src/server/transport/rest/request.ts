import type { Message } from '@bufbuild/protobuf';
import { create } from '@bufbuild/protobuf';
import type { FastifyRequest } from 'fastify';
import { invalidFields, noSuchRoute, ServiceError } from '../../../shared/errors.ts';
import { validateMessage } from '../../../shared/fields/validate.ts';
import { decodeJson } from '../../../shared/json/decode.ts';
import { parseJsonBody } from '../../../shared/json/parse.ts';
import { decodePath, decodeQuery, parseQuery } from '../../../shared/json/query.ts';
import type { CompiledRoute } from '../../../shared/operations/routes.ts';
import { pathOf } from './paths.ts';

/** The JSON of a buffered body; undefined for every other one. */
export function bodyJson(body: unknown): unknown {
  return body instanceof Uint8Array && body.length > 0 ? parseJsonBody(body) : undefined;
}

/** A decoded request. */
export interface DecodedRequest {
  message: Message;
  /** The errors of single items of a batch, by their index. */
  itemErrors: ReadonlyMap<number, ServiceError>;
}

/**
 * The message of a REST call from body, path and query, checked against the rules of its fields. Throws INVALID_ARGUMENT
 * or INVALID_REQUEST with everything that is wrong.
 */
export function decodeRequest(compiled: CompiledRoute, request: FastifyRequest, json: unknown): DecodedRequest {
  const { operation, route, pathFields, queryFields, bodyMessage } = compiled;
  // The router lets an empty segment pass as a parameter.
  if (Object.values(pathValues(request)).includes('')) throw noSuchRoute(request.method, pathOf(request.url));
  const params = parseQuery(queryOf(request.raw.url ?? ''));
  const { itemsElsewhere = [] } = operation;
  const itemErrors = new Map<number, ServiceError>();
  const apart = { lists: itemsElsewhere, refuse: (index: number, error: ServiceError) => itemErrors.set(index, error) };
  const message =
    route.fromQuery?.(params) ??
    (route.method === 'GET' || route.method === 'DELETE'
      ? create(bodyMessage)
      : decodeJson(bodyMessage, json, { omit: [...pathFields, ...queryFields], apart }));
  if (pathFields.length > 0) decodePath(bodyMessage, pathValues(request), { into: message, fields: pathFields });
  if (route.fromQuery === undefined && queryFields.length > 0) {
    decodeQuery(bodyMessage, params, { into: message, fields: queryFields });
  }
  const violations = validateMessage(bodyMessage, message, { itemsElsewhere });
  if (violations.length > 0) {
    const { queryName = (path: string) => path } = route;
    throw invalidFields(violations.map(({ path, problem }) => ({ path: queryName(path), problem })));
  }
  return { message, itemErrors };
}

/** Everything after the first question mark: a value may contain others. */
function queryOf(url: string): string {
  const mark = url.indexOf('?');
  return mark === -1 ? '' : url.slice(mark + 1);
}

function pathValues(request: FastifyRequest): Record<string, string> {
  return request.params as Record<string, string>;
}

/** The path of a new resource, with the members of the response filled in. */
export function locationOf(template: string, response: Message): string {
  return template.replace(/\{([\w.]+)\}/g, (_, path: string) => {
    const value = path
      .split('.')
      .reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], response);
    if (typeof value !== 'string') throw new ServiceError('INTERNAL', `The response has no ${path} for its Location`);
    return encodeURIComponent(value);
  });
}
