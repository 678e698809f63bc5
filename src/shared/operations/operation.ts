import type { DescMethod, DescMethodUnary, Message } from '@bufbuild/protobuf';
import type { ErrorCode } from '../errors.ts';
import type { PlainPermission, ScopedPermission } from '../identity.ts';

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** What travels in the body of a REST response. */
export type RestResponse =
  /** The response message as JSON. */
  | 'message'
  /** Nothing: the operation answers 204. */
  | 'none'
  /** One event per NDJSON line or SSE frame. */
  | 'events'
  /** The bytes of a document, with its own media type, ETag and ranges. */
  | 'content'
  /** Plain text bytes. */
  | 'text';

/** One REST route of an operation. Path parameters are `{fieldName}` in lowerCamelCase, fields of the request message. */
export interface RestRoute {
  method: HttpMethod;
  path: string;
  success: 200 | 201 | 204;
  response: RestResponse;
  /** JSON names of the fields that the query may set. Left out, a GET takes every field from it and the others take none. */
  query?: readonly string[];
  /** Reads the query where it has a form of its own. */
  fromQuery?: (params: URLSearchParams) => Message;
  /** The query's own name for a JSON path of the request that it was read into. */
  queryName?: (path: string) => string;
  /** Path of the new resource, with `{member}` filled in from the response, for the Location header. */
  location?: string;
  /** The body also comes as multipart/form-data; the JSON stands in this part. */
  multipartField?: 'request' | 'requests';
  /** The body describes this field of the first client message of a stream. */
  bodyField?: string;
}

/**
 * How a restricted key is treated. `allowed`: like any other. `refused`: before the handler runs. `judged`: by the
 * handler, once it has found the resource, so that a resource that does not exist is NOT_FOUND and not
 * PERMISSION_DENIED.
 */
export type KeyRule = 'allowed' | 'refused' | 'judged';

export interface OperationInfo {
  /** `none`: no key is needed. `optional`: a key adds to the answer, an unusable one counts as none. */
  auth: 'key' | 'none' | 'optional';
  /** Checked in its widest form by the service, where the owner is known; in its narrowest one before the handler runs. */
  permission: ScopedPermission | PlainPermission | undefined;
  /** Refused while the server drains. */
  mutates: boolean;
  /** Of a key that may only read. */
  readOnlyKey: KeyRule;
  /** Of a key that is bound to spaces. */
  spaceBoundKey: KeyRule;
  /** Errors that do not follow from the rest of the row, for the documentation. */
  errors: readonly ErrorCode[];
  /** Waits for the running work to end, and so does not count as running work. */
  awaitsWork?: true;
  /** The answer may contain a key in clear text and must not be cached. */
  showsSecret?: true;
  /** JSON names of lists whose items succeed or fail one by one: the handler judges them. */
  itemsElsewhere?: readonly string[];
  /** The interface defines it, but this build does not have it and answers UNIMPLEMENTED. */
  isLacking?: true;
  rest: readonly RestRoute[];
}

/** A read by a key, which a key that may only read may call. */
export const READ = { auth: 'key', mutates: false, readOnlyKey: 'allowed' } as const;

/** A change by a key. */
export const WRITE = { auth: 'key', mutates: true } as const;

/** A call that only a key without restrictions may make, and that a draining server still takes. */
export const UNRESTRICTED = { auth: 'key', mutates: false, readOnlyKey: 'refused', spaceBoundKey: 'refused' } as const;

/** A call of inference targets, which a key that may only read is refused once they are found, and a space-bound key at once. */
export const TARGET_CALL = { auth: 'key', mutates: false, readOnlyKey: 'judged', spaceBoundKey: 'refused' } as const;

export interface NamedOperation extends OperationInfo {
  /** The name in logs and metrics, which is also the RPC's where there is one, e.g. `CreateApiKey`. */
  name: string;
}

/** What a handler gives: one message, a stream of events, or a stored document whose bytes each wire frames in its own way. */
export type Answer = 'message' | 'events' | 'content';

export interface Operation<M extends DescMethod = DescMethod, A extends Answer = Answer> extends NamedOperation {
  rpc: M;
  answers: A;
}

export function operation<M extends DescMethodUnary, const I extends OperationInfo>(
  rpc: M,
  info: I,
): Operation<M, 'message'> & I;
export function operation<M extends DescMethod, const I extends OperationInfo & { answers: 'events' | 'content' }>(
  rpc: M,
  info: I,
): Operation<M, I['answers']> & I;
export function operation(rpc: DescMethod, info: OperationInfo & { answers?: Answer }): Operation {
  return { answers: 'message', name: rpc.name, rpc, ...info };
}
