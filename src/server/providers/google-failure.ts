import { isObject } from '../../shared/json/is-object.ts';
import { ProviderError } from './errors.ts';

const UNREACHABLE = /^(ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE)$/;

/**
 * A failure of Google's library as a `ProviderError`. What the library says is left out, and it is no cause either: its
 * messages quote key files, and its errors hold requests with keys and answers with tokens.
 */
export function googleFailure(error: unknown): ProviderError {
  if (error instanceof ProviderError) return error;
  const { status, code } = detailsOf(error);
  if (status !== undefined) {
    const unavailable = status === 408 || status === 429 || status >= 500;
    const what = unavailable ? 'did not give a token' : 'refused the credentials of this server';
    return new ProviderError(
      unavailable ? 'unavailable' : 'configuration',
      `Google's token server ${what} (${status}${code === '' ? '' : ` ${code}`})`,
    );
  }
  if (UNREACHABLE.test(code)) {
    return new ProviderError('unavailable', `Google's token server cannot be reached (${code})`);
  }
  return new ProviderError('configuration', 'This server has no usable Google application default credentials');
}

/** The status of an answer, and a word for the failure: `invalid_grant`, `ECONNREFUSED`; "" for none. */
function detailsOf(error: unknown): { status: number | undefined; code: string } {
  if (!isObject(error)) return { status: undefined, code: '' };
  const response = isObject(error.response) ? error.response : {};
  const data = isObject(response.data) ? response.data : {};
  const status = typeof response.status === 'number' ? response.status : undefined;
  const word = status === undefined ? error.code : data.error;
  return { status, code: typeof word === 'string' && /^\w{1,64}$/.test(word) ? word : '' };
}
