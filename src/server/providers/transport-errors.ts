import { errors } from 'undici';
import type { Refusal } from './addresses.ts';
import { RefusedAddressError } from './connector.ts';
import { ProviderError } from './errors.ts';

/** How far a call had come when it failed. */
export interface TransportProgress {
  provider: string;
  url: string;
  timeoutMs: number;
  /** The time is that of each pause, not of the whole call. */
  idle: boolean;
  /** `timeoutMs` has passed. */
  timedOut: boolean;
  /** Status and headers had arrived. */
  answering: boolean;
}

/** The network reports that nothing listens at the address, as when a provider is switched off. */
const REFUSED = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN']);
const UNRESOLVED = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'ENODATA']);
const BROKEN = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);
const CERTIFICATE = /^(CERT_|ERR_TLS_CERT|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|ERR_SSL_|EPROTO)/;
const MALFORMED = /^(HPE_|UND_ERR_(RES_CONTENT|HEADERS_OVERFLOW|RESPONSE))/;

const REFUSALS: Record<Refusal, string> = {
  'link-local': 'resolves to a link-local address, which this server does not call',
  'not public':
    'is not at a public address; this server calls targets of users in other networks only if --provider-allowed-networks lists them',
};

/** Marks the call as timed out. Returns the reason with which its request is aborted. */
export function outOfTime(progress: TransportProgress): DOMException {
  progress.timedOut = true;
  return new DOMException('The call timed out', 'TimeoutError');
}

/** Why no complete answer came, as a `ProviderError`. */
export function transportError(error: unknown, progress: TransportProgress): ProviderError {
  if (error instanceof ProviderError) return error;
  const peer = `${progress.provider} at ${hostOf(progress.url)}`;
  const fail = (reason: ConstructorParameters<typeof ProviderError>[0], what: string, extra = {}) =>
    new ProviderError(reason, `${peer} ${what}`, { cause: error, ...extra });

  if (progress.timedOut) {
    const paused = progress.idle && progress.answering;
    return fail(
      'timeout',
      `${paused ? 'sent nothing more for' : 'did not answer within'} ${progress.timeoutMs / 1000} s`,
    );
  }
  if (error instanceof RefusedAddressError) {
    return fail('configuration', REFUSALS[error.refusal]);
  }
  const code = codeOf(error);
  if (REFUSED.has(code)) return fail('unavailable', `refused the connection (${code})`, { away: true });
  if (UNRESOLVED.has(code)) return fail('unavailable', `cannot be found: its host name does not resolve (${code})`);
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT') {
    return fail('unavailable', 'did not accept a connection in time');
  }
  if (BROKEN.has(code) || code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH') {
    // A connection that broke says nothing about the next one.
    if (progress.answering)
      return fail('invalid_response', 'closed the connection in the middle of its answer', { retryable: true });
    return fail('unavailable', 'closed the connection before it answered', { connected: true });
  }
  if (CERTIFICATE.test(code)) return fail('configuration', `has no usable TLS certificate (${code})`);
  if (error instanceof errors.HTTPParserError || MALFORMED.test(code)) {
    return fail('invalid_response', 'did not answer with valid HTTP');
  }
  // A request that cannot be sent: the HTTP client refuses a header or the address.
  if (code.startsWith('UND_ERR_INVALID') || code.startsWith('ERR_INVALID')) {
    return fail('configuration', 'cannot be called: the HTTP client rejects its address or one of the headers');
  }
  return fail('unavailable', `could not be reached${code === '' ? '' : ` (${code})`}`);
}

/** Host and port of an address for a sentence; the path may hold a model's name, the query may hold anything. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'an invalid address';
}

function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  if ('code' in error && typeof error.code === 'string') return error.code;
  // Connecting to several addresses of a name fails with one error an address.
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return '';
}
