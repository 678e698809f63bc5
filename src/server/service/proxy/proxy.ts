import { failedPrecondition, invalidFields, NOT_A_UUID, noSuchRoute, ServiceError } from '../../../shared/errors.ts';
import { isUuid } from '../../../shared/fields/formats.ts';
import type { CallContext } from '../../context.ts';
import { ProviderError } from '../../providers/errors.ts';
import { type ForwardedAnswer, forward } from '../../providers/forward.ts';
import type { ProviderHttp } from '../../providers/http.ts';
import type { TargetClient, TargetRecord } from '../../providers/target.ts';
import { requireMay } from '../permission.ts';
import { ofEachKind, type TargetKind } from '../targets/kinds.ts';
import type { OpenTarget, TargetOpener } from '../targets/open-target.ts';
import { insidePathProblem } from '../targets/target-fields.ts';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** A call for a provider, as the client sent it. */
interface ProxyRequest {
  /** The segment of the path: `embedders`, `rerankers` or `llms`. */
  kind: string;
  id: string;
  /** Everything after the id and its slash, with the query, as the client wrote it. */
  rest: string;
  method: string;
  headers: Headers;
  body: AsyncIterable<Uint8Array> | undefined;
}

/** The provider's answer, as it arrives. */
export type ProxyAnswer = Omit<ForwardedAnswer, 'headers'> & { headers: Record<string, string | string[]> };

export type ProxyCall = (request: ProxyRequest, context: CallContext) => Promise<ProxyAnswer>;

interface ProxyDeps {
  targets: TargetOpener;
  http: ProviderHttp;
  /** Of each pause of a call, in milliseconds. */
  timeoutMs: number;
}

type Open = (
  targets: TargetOpener,
  id: string,
  context: CallContext,
) => Promise<OpenTarget<unknown, TargetRecord, TargetClient>>;

/** By the segment of the path. */
const KINDS: Readonly<Record<string, Open>> = ofEachKind(opening);
/** Of one connection, not of the message. */
const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];
/** Headers that authenticate the caller to this server, and those of the connection, are not forwarded. */
const OURS_ALONE = [
  'x-api-key',
  'authorization',
  'cookie',
  'x-service-init-token',
  'x-service-metrics-key',
  'host',
  'expect',
];
/** Headers of an answer that a browser would apply to this server. */
const NOT_PASSED_BACK = ['set-cookie', 'alt-svc', 'clear-site-data', 'strict-transport-security'];
const SET_HERE =
  /^(access-control-|x-ratelimit-|x-request-id$|x-service-|content-security-policy|x-content-type-options$)/;

const IN_PROCESS = ['BUILTIN', 'ONNX'];

/**
 * Forwards calls to the providers of inference targets, with the stored credential in place of the caller's. This needs
 * a permission of its own: the calls are not checked and are charged to the account of the owner.
 */
export function createProxy({ targets, http, timeoutMs }: ProxyDeps): ProxyCall {
  return async ({ kind: name, id, rest, method, headers, body }, context) => {
    const open = Object.hasOwn(KINDS, name) ? KINDS[name] : undefined;
    if (open === undefined) {
      const details = `the path must name one of ${Object.keys(KINDS).join(', ')}`;
      throw noSuchRoute(method, `/v1/proxy/${name}/${id}/…`, details);
    }
    if (!isUuid(id)) throw invalidFields([{ path: 'id', ...NOT_A_UUID }]);
    // Before the target is looked for: a path is wrong for every target.
    const path = proxyPath(rest);
    const { row, record } = await open(targets, id.toLowerCase(), context);
    requireMay(context, 'PROXY_INFERENCE_TARGET', row.ownerId);
    if (IN_PROCESS.includes(record.providerType)) {
      throw failedPrecondition(`${record.providerType} runs inside the server and has no endpoint to forward to`);
    }
    try {
      const credential = (await record.credentials?.(context.signal)) ?? {};
      const answer = await forward(http.dispatcher(record.reach), {
        provider: record.providerType,
        url: proxyUrl(record.endpointUrl, path),
        method,
        headers: requestHeaders(headers, credential),
        body,
        signal: context.signal,
        timeoutMs,
      });
      return { ...answer, headers: answerHeaders(answer.headers) };
    } catch (error) {
      throw error instanceof ProviderError ? refusal(error) : error;
    }
  };
}

function opening<Own, Record extends TargetRecord, Client extends TargetClient>(
  kind: TargetKind<Own, Record, Client>,
): Open {
  return (targets, id, context) => targets.open(kind, id, 'READ', context);
}

/** A failure of the provider before the first byte of its answer, as an error of this server. */
function refusal(error: ProviderError): ServiceError {
  switch (error.reason) {
    case 'configuration':
      return failedPrecondition(error.message, { cause: error });
    case 'unavailable':
      return error.connected
        ? new ServiceError('DEADLINE_EXCEEDED', error.message, { cause: error })
        : new ServiceError('UNAVAILABLE', error.message, { cause: error });
    default:
      return new ServiceError('DEADLINE_EXCEEDED', error.message, { cause: error });
  }
}

/** Where a proxied call goes below a target's address, as the caller wrote it. */
interface ProxyPath {
  path: string;
  /** Without its question mark; "" when there is none. */
  query: string;
}

/** Reads path and query. Throws INVALID_ARGUMENT for a path that could lead out of the target's address. */
function proxyPath(rest: string): ProxyPath {
  const mark = rest.indexOf('?');
  const path = mark === -1 ? rest : rest.slice(0, mark);
  const problem = insidePathProblem(path);
  if (problem !== undefined) throw invalidFields([{ path: 'path', problem }]);
  return { path, query: mark === -1 ? '' : rest.slice(mark + 1) };
}

/** The address that a proxied call goes to: path and query behind the target's own address. */
function proxyUrl(endpointUrl: string, { path, query }: ProxyPath): string {
  const base = new URL(endpointUrl);
  const queries = [base.search.slice(1), query].filter((part) => part !== '');
  const folder = base.pathname.endsWith('/') ? base.pathname : `${base.pathname}/`;
  return `${base.origin}${folder}${path}${queries.length === 0 ? '' : `?${queries.join('&')}`}`;
}

/** The headers of the forwarded request, with those of the stored credential in place of the caller's. */
function requestHeaders(
  given: Headers,
  credential: Readonly<Record<string, string>>,
): Record<string, string | string[]> {
  const dropped = new Set([...OURS_ALONE, ...Object.keys(credential).map((name) => name.toLowerCase())]);
  return { ...passedOn(given, (name) => !dropped.has(name)), ...credential };
}

/** The headers of the provider's answer that are passed back. */
function answerHeaders(given: Headers): Record<string, string | string[]> {
  return passedOn(given, (name) => !NOT_PASSED_BACK.includes(name) && !SET_HERE.test(name));
}

function passedOn(given: Headers, isWanted: (name: string) => boolean): Record<string, string | string[]> {
  const named = String(given.connection ?? '').toLowerCase();
  const dropped = new Set([...HOP_BY_HOP, ...named.split(',').map((name) => name.trim())]);
  const kept = Object.entries(given).flatMap(([name, value]) =>
    value === undefined || dropped.has(name) || !isWanted(name) ? [] : [[name, value] as const],
  );
  return Object.fromEntries(kept);
}
