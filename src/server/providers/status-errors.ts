import { isObject } from '../../shared/json/parse.ts';
import { truncateCodePoints } from '../../shared/text.ts';
import { ProviderError, type ProviderErrorReason } from './errors.ts';
import type { ProviderResponse } from './http-exchange.ts';
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
 * address or an unknown model; 402 is a balance that is used up; 408 is a time-out; 424 is how TEI reports a failed
 * model run; 498 is Cohere's status for a bad key.
 */
export function statusError(response: ProviderResponse, context: StatusContext): ProviderError | undefined {
  const { status } = response;
  if (status >= 200 && status < 300) return undefined;
  const text = textOf(response.body);
  const reason = reasonOf(status, text);
  // The message of a provider about a bad key often repeats the key.
  const refusedKey = isKeyRefusal(status, text);
  const told = ownMessage(text);
  const says = refusedKey ? '' : excerpt(told, context.secretHeaders);
  const meaning = refusedKey ? ' (it refused the credential)' : meaningOf(status);
  const retryAfterMs = parseRetryAfter(response.headers['retry-after'], Date.now());
  const spent = status === 402 || (status === 429 && SPENT.test(text));
  return new ProviderError(reason, `${peerOf(context)} answered ${status}${meaning}${says}`, {
    httpStatus: status,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(spent ? { spent, retryable: false } : {}),
    oversized: reason === 'rejected' && (status === 413 || OVERSIZED.test(told)),
  });
}

/** The failure that an `error` member means which came inside an answer of status 200. */
export function embeddedError(error: unknown, context: StatusContext): ProviderError {
  const code = isObject(error) ? Number(error.code ?? error.status) : Number.NaN;
  const known = Number.isInteger(code) && code >= 400 && code < 600;
  const says = excerpt(messageIn(error) ?? '', context.secretHeaders);
  const message = `${peerOf(context)} reported an error in its answer${says}`;
  return new ProviderError(known ? reasonOf(code, '') : 'server_error', message, { httpStatus: 200 });
}

function reasonOf(status: number, text: string): ProviderErrorReason {
  if (isKeyRefusal(status, text)) return 'configuration';
  if (status === 429 || status === 402) return 'rate_limited';
  if (status === 503) return 'unavailable';
  if (status === 408) return 'timeout';
  // llama.cpp answers 500 for an input that is longer than its batch: a repeat changes nothing.
  if (status === 500 && /too large to process/i.test(text)) return 'rejected';
  if (status === 424 || status >= 500) return 'server_error';
  return status === 404 || status === 405 || status < 400 ? 'configuration' : 'rejected';
}

/** How providers say that a request is too large: hardly any has an error code for it. */
const OVERSIZED = /batch|too (?:many|long|large|big)|maximum|context length|exceed/i;

/** What OpenAI and compatible servers answer for a quota that is used up, unlike a rate limit. */
const SPENT = /insufficient_quota|insufficient (?:balance|credits)/i;

/** The Gemini API answers 400 for a bad key. */
function isKeyRefusal(status: number, text: string): boolean {
  if (status === 400) return /API_KEY_INVALID|API key not valid/.test(text);
  return status === 401 || status === 403 || status === 498;
}

function meaningOf(status: number): string {
  if (status === 429) return ' (rate or quota limit)';
  if (status === 402) return ' (the account has no credit left)';
  if (status >= 300 && status < 400) return ' (redirects are not followed)';
  return '';
}

function peerOf({ provider, url }: StatusContext): string {
  return `${provider} at ${hostOf(url)}`;
}

const EXCERPT_CHARACTERS = 200;
const KEY_LIKE = /\b(?:(?:sk|pk|rk|hf|pa|jina|key|bearer)[-_ ]|AIza|ya29\.)[\w*.-]{8,}/gi;

/** `: "…"` with the beginning of the provider's own words, or "". */
function excerpt(words: string, secretHeaders: Readonly<Record<string, string>>): string {
  let text = words;
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

function textOf(body: Uint8Array): string {
  return Buffer.from(body.buffer, body.byteOffset, Math.min(body.byteLength, 16_384)).toString('utf8');
}

/** The message member of the usual error bodies; the beginning of the body when it is none of them. */
function ownMessage(text: string): string {
  try {
    const parsed: unknown = JSON.parse(text);
    return messageIn(parsed) ?? '';
  } catch {
    return text.startsWith('<') ? '' : text;
  }
}

function messageIn(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  // FastAPI lists what is wrong with a request.
  if (Array.isArray(value)) return messageIn(value[0]);
  if (!isObject(value)) return undefined;
  for (const name of ['message', 'error', 'detail', 'msg']) {
    const found = messageIn(value[name]);
    if (found !== undefined) return found;
  }
  return undefined;
}
