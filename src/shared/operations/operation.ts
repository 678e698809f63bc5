import type { DescMethod, DescMethodUnary, Message } from '@bufbuild/protobuf';
import type { ErrorCode } from '../errors.ts';
import { ContentChunkSchema } from '../gen/service/v1/common_pb.ts';
import type { PlainPermission, ScopedPermission } from '../identity.ts';

type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** What travels in the body of a REST response. */
type RestResponse =
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
export interface RouteRow {
  method: HttpMethod;
  path: string;
  success: 200 | 201 | 204;
  /** The content is extracted text. */
  isText?: true;
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

export interface RestRoute extends RouteRow {
  response: RestResponse;
}

/**
 * How a restricted key is treated. `allowed`: like any other. `refused`: before the handler runs. `judged`: by the
 * handler, once it has found the resource, so that a resource that does not exist is NOT_FOUND and not
 * PERMISSION_DENIED.
 */
type KeyRule = 'allowed' | 'refused' | 'judged';

export interface OperationRow {
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
  rest: readonly RouteRow[];
}

/*
 * What rows have in common, by what an operation does. Each preset says whether it mutates, and so whether a draining server
 * refuses it, and with which key it is called; a row says the rest.
 */

/** A read by a key, which a key that may only read may call, and a draining server takes. */
export const READ = { auth: 'key', mutates: false, readOnlyKey: 'allowed' } as const;

/** A change by a key, which a draining server refuses. */
export const WRITE = { auth: 'key', mutates: true } as const;

/** A call that only a key without restrictions may make, and that a draining server still takes. */
export const UNRESTRICTED = { auth: 'key', mutates: false, readOnlyKey: 'refused', spaceBoundKey: 'refused' } as const;

/** A call of inference targets, which a key that may only read is refused once they are found, and a space-bound key at once. */
export const TARGET_CALL = { auth: 'key', mutates: false, readOnlyKey: 'judged', spaceBoundKey: 'refused' } as const;

export interface NamedOperation extends Omit<OperationRow, 'rest'> {
  /** The name in logs and metrics, which is also the RPC's where there is one, e.g. `CreateApiKey`. */
  name: string;
}

/** What a handler gives: one message, a stream of events, or a stored document whose bytes each wire frames in its own way. */
type Answer = 'message' | 'events' | 'content';

type AnswerOf<M extends DescMethod> = DescMethod extends M
  ? Answer
  : M extends DescMethodUnary
    ? 'message'
    : M['output'] extends typeof ContentChunkSchema
      ? 'content'
      : 'events';

export interface Operation<M extends DescMethod = DescMethod> extends NamedOperation {
  rpc: M;
  answers: AnswerOf<M>;
  rest: readonly RestRoute[];
}

/** Attributes that `Known` does not have, each with a type that no value has: a row with one of them does not compile. */
type NoOthers<Row, Known> = { readonly [K in Exclude<keyof Row, keyof Known>]: never };

type ExactRow<Row extends OperationRow> = NoOthers<Row, OperationRow> & {
  rest: readonly NoOthers<Row['rest'][number], RouteRow>[];
};

/** What its RPC and its row say of an operation. What it answers follows from the RPC, and what its routes carry from that. */
export function operation<M extends DescMethod, const Row extends OperationRow>(
  rpc: M,
  row: Row & ExactRow<Row>,
): Operation<M> & Omit<Row, 'rest'> {
  const answers = answerOf(rpc) as AnswerOf<M>;
  const rest = row.rest.map((route: RouteRow) => ({ ...route, response: responseOf(answers, route) }));
  return { ...row, name: rpc.name, rpc, answers, rest };
}

function answerOf({ methodKind, output }: DescMethod): Answer {
  if (methodKind === 'unary') return 'message';
  return output.typeName === ContentChunkSchema.typeName ? 'content' : 'events';
}

function responseOf(answers: Answer, { success, isText }: RouteRow): RestResponse {
  if (answers === 'message' && success === 204) return 'none';
  return answers === 'content' && isText === true ? 'text' : answers;
}

type KeysOf<T> = T extends unknown ? keyof T : never;

/** Keys that several of the tables have. */
type Repeated<T extends readonly unknown[]> = T extends readonly [infer First, ...infer Rest]
  ? (keyof First & KeysOf<Rest[number]>) | Repeated<Rest>
  : never;

type Joined<T extends readonly unknown[]> = T extends readonly [infer First, ...infer Rest]
  ? First & Joined<Rest>
  : unknown;

/** The tables as one. Tables that have a key in common do not compile, as one of its rows would be lost. */
export function joinedTables<const T extends readonly Readonly<Record<string, Operation>>[]>(
  tables: T & ([Repeated<T>] extends [never] ? unknown : { keyOfSeveralTables: Repeated<T> }),
): Joined<T> {
  return Object.assign({}, ...tables) as Joined<T>;
}
