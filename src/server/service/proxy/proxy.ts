import { invalidFields, ServiceError } from '../../../shared/errors.ts';
import { isUuid } from '../../../shared/fields/formats.ts';
import type { CallContext } from '../../context.ts';
import { ProviderError } from '../../providers/errors.ts';
import { type ForwardedAnswer, forward } from '../../providers/forward.ts';
import type { ProviderHttp } from '../../providers/http.ts';
import type { Queryable } from '../../store/db.ts';
import type { TargetRow } from '../../store/target-rows.ts';
import { embedderKind } from '../embedders/embedder-kind.ts';
import { llmKind } from '../llms/llm-kind.ts';
import { requireMay, requireTarget } from '../permission.ts';
import { rerankerKind } from '../rerankers/reranker-kind.ts';
import { loadTarget, targetRecord } from '../targets/load-targets.ts';
import type { TargetKind } from '../targets/target-kind.ts';
import { answerHeaders, type Headers, requestHeaders } from './proxy-headers.ts';
import { proxyPath, proxyUrl } from './proxy-url.ts';

/** A call for a provider, as it came. */
export interface ProxyRequest {
  /** The segment of the path: `embedders`, `rerankers` or `llms`. */
  kind: string;
  id: string;
  /** Everything behind the id and its slash, with the query, as it was written. */
  rest: string;
  method: string;
  headers: Headers;
  body: AsyncIterable<Uint8Array> | undefined;
}

/** The provider's answer, as it comes. */
export type ProxyAnswer = Omit<ForwardedAnswer, 'headers'> & { headers: Record<string, string | string[]> };

export type ProxyCall = (request: ProxyRequest, context: CallContext) => Promise<ProxyAnswer>;

export interface ProxyDeps {
  pool: Queryable;
  secretsKey: Uint8Array | undefined;
  http: ProviderHttp;
  /** Of each pause of a call, in milliseconds. */
  timeoutMs: number;
}

/** One kind of target: the resource as permissions name it, and the record behind an id. */
interface ProxyKind {
  resource: TargetKind<never>['resource'];
  load(pool: Queryable, id: string, signal: AbortSignal): Promise<TargetRow>;
}

function proxyKind<Own>(kind: TargetKind<Own>): ProxyKind {
  return { resource: kind.resource, load: (pool, id, signal) => loadTarget(pool, kind, id, signal) };
}

const KINDS: Readonly<Record<string, ProxyKind>> = {
  embedders: proxyKind(embedderKind),
  rerankers: proxyKind(rerankerKind),
  llms: proxyKind(llmKind),
};
const IN_PROCESS = ['BUILTIN', 'ONNX'];

/**
 * Passes calls on to the providers of inference targets, with the stored credential in place of the caller's. Whoever
 * calls needs the target itself, not only its use: what goes on is unchecked and on the owner's account.
 */
export function createProxy({ pool, secretsKey, http, timeoutMs }: ProxyDeps): ProxyCall {
  return async ({ kind: name, id, rest, method, headers, body }, context) => {
    const kind = Object.hasOwn(KINDS, name) ? KINDS[name] : undefined;
    if (kind === undefined) {
      const details = `the path must name one of ${Object.keys(KINDS).join(', ')}`;
      throw new ServiceError('NOT_FOUND', `No such route: ${method} /v1/proxy/${name}/${id}/…`, { details });
    }
    if (!isUuid(id)) throw invalidFields([{ path: 'id', problem: 'not a UUID' }]);
    // Before the target is looked for: a path is wrong for every target.
    const path = proxyPath(rest);
    const row = await kind.load(pool, id.toLowerCase(), context.signal);
    requireTarget(context, `READ_${kind.resource}`, row);
    requireMay(context, 'PROXY_INFERENCE_TARGET', row.ownerId);
    const record = targetRecord(row, secretsKey);
    if (IN_PROCESS.includes(record.providerType)) {
      throw new ServiceError(
        'FAILED_PRECONDITION',
        `${record.providerType} runs inside the server and has no endpoint to forward to`,
      );
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

/** Before the first byte of an answer a failure of the provider is one of this server's own answers. */
function refusal(error: ProviderError): ServiceError {
  switch (error.reason) {
    case 'configuration':
      return new ServiceError('FAILED_PRECONDITION', error.message, { cause: error });
    case 'unavailable':
      return error.connected
        ? new ServiceError('DEADLINE_EXCEEDED', error.message, { cause: error })
        : new ServiceError('UNAVAILABLE', error.message, { cause: error });
    default:
      return new ServiceError('DEADLINE_EXCEEDED', error.message, { cause: error });
  }
}
