import type { DescMethod, Message } from '@bufbuild/protobuf';
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

export interface OperationInfo {
  /** `none`: no key is needed. `optional`: a key adds to the answer, an unusable one counts as none. */
  auth: 'key' | 'none' | 'optional';
  /** Checked in its widest form by the service, where the owner is known; in its narrowest one before the handler runs. */
  permission?: ScopedPermission | PlainPermission;
  /** Refused while the server drains. */
  mutates: boolean;
  /** Waits for the end of the running work, and so is no part of it. */
  awaitsWork?: true;
  /** The answer may hold a key in clear: nobody may keep a copy of it. */
  showsSecret?: true;
  /** A read-only key may call it. */
  readOnly: boolean;
  /** JSON names of lists whose items succeed or fail one by one: the handler judges them. */
  itemsElsewhere?: readonly string[];
  rest: readonly RestRoute[];
}

export interface NamedOperation extends OperationInfo {
  /** The name in logs and metrics, which is also the RPC's where there is one, e.g. `CreateApiKey`. */
  name: string;
}

export interface Operation<M extends DescMethod = DescMethod> extends NamedOperation {
  rpc: M;
}

export function operation<M extends DescMethod>(rpc: M, info: OperationInfo): Operation<M> {
  return { name: rpc.name, rpc, ...info };
}
