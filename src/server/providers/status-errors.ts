import { truncateCodePoints } from '../../shared/text.ts';
import { ProviderError, type ProviderErrorReason } from './errors.ts';
import type { ProviderResponse } from './http.ts';
import { parseRetryAfter } from './retry.ts';
import { hostOf } from './transport-errors.ts';

export interface StatusContext {
  provider: string;
  url: string;
  /** Headers of the request that carry the credential; their values never reach a message. */
  secretHeaders: Readonly<Record<string, string>>;
}

/**
 * The failure that a status means, undefined for 2xx. Beyond the plain classes: 404, 405 and redirects mean a wrong
 * address or an unknown model; 408 is a time-out; 424 is how TEI reports a failed model run.
 */
export function statusError(response: ProviderResponse, context: StatusContext): ProviderError | undefined {
  const { status } = response;
  if (status >= 200 && status < 300) return undefined;
  const reason = reasonOf(status);
  // What a provider says about a bad key tends to repeat the key.
  const says = status === 401 || status === 403 ? '' : excerpt(response.body, context.secretHeaders);
  const message = `${context.provider} at ${hostOf(context.url)} answered ${status}${meaning(status)}${says}`;
  const retryAfterMs = parseRetryAfter(response.headers['retry-after'], Date.now());
  return new ProviderError(reason, message, {
    httpStatus: status,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

function reasonOf(status: number): ProviderErrorReason {
  if (status === 429) return 'rate_limited';
  if (status === 503) return 'unavailable';
  if (status === 408) return 'timeout';
  if (status === 424 || status >= 500) return 'server_error';
  if (status === 401 || status === 403 || status === 404 || status === 405 || status < 400) return 'configuration';
  return 'rejected';
}

function meaning(status: number): string {
  if (status === 401 || status === 403) return ' (it refused the credential)';
  if (status === 429) return ' (rate or quota limit)';
  if (status >= 300 && status < 400) return ' (redirects are not followed)';
  return '';
}

const EXCERPT_CHARACTERS = 200;
const KEY_LIKE = /\b(?:sk|pk|rk|hf|pa|jina|key|bearer)[-_ ][\w*.-]{8,}/gi;

/** `: "…"` with the beginning of the provider's own words, or "". */
function excerpt(body: Uint8Array, secretHeaders: Readonly<Record<string, string>>): string {
  let text = ownMessage(body);
  for (const value of Object.values(secretHeaders)) {
    // "Bearer abc" is also looked for as "abc".
    for (const secret of [value, value.slice(value.indexOf(' ') + 1)]) {
      if (secret.length >= 4) text = text.replaceAll(secret, '[redacted]');
    }
  }
  text = text
    .replace(KEY_LIKE, '[redacted]')
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim();
  if (text === '') return '';
  const shown = truncateCodePoints(text, EXCERPT_CHARACTERS);
  return `: "${shown}${shown === text ? '' : '…'}"`;
}

/** The message member of the usual error bodies; the beginning of the body when it is none of them. */
function ownMessage(body: Uint8Array): string {
  const text = Buffer.from(body.buffer, body.byteOffset, Math.min(body.byteLength, 16_384)).toString('utf8');
  try {
    const parsed: unknown = JSON.parse(text);
    return messageIn(parsed) ?? '';
  } catch {
    return text.startsWith('<') ? '' : text;
  }
}

function messageIn(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const name of ['message', 'error', 'detail']) {
    const found = messageIn((value as Record<string, unknown>)[name]);
    if (found !== undefined) return found;
  }
  return undefined;
}
