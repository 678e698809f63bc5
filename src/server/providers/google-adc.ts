import type { AnyAuthClient } from 'google-auth-library';
import { unlessAborted } from '../../shared/async/abort.ts';
import { isObject } from '../../shared/json/parse.ts';
import { withProviderDeadline } from './call-runner.ts';
import { ProviderError } from './errors.ts';

/** The scopes of a Google token when a credential names none. */
const DEFAULT_SCOPES = ['https://www.googleapis.com/auth/cloud-platform'];
const LIBRARY_TOKEN_URI = 'https://oauth2.googleapis.com/token';
const TIMEOUT_MS = 10_000;
const PEER = "Google's token server";

interface GoogleToken {
  accessToken: string;
  /** The project that the credentials themselves name for quota and billing. */
  quotaProjectId?: string;
}

/**
 * Tokens of the application default credentials of this process: the file that GOOGLE_APPLICATION_CREDENTIALS names, the
 * well-known file of gcloud, the metadata server. Google's library finds and renews them; it makes its own connections,
 * so the metadata server may be called although its address is link-local. The library is loaded with the first token.
 */
export class GoogleAdc {
  readonly #timeoutMs: number;
  readonly #sources = new Map<string, TokenSource>();

  /** `timeoutMs` bounds one token, with all requests that it takes. */
  constructor(options: { timeoutMs?: number } = {}) {
    this.#timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
  }

  /**
   * A token that is valid now, kept until shortly before it ends. Rejects with a `ProviderError` that holds no secret:
   * `configuration`, `unavailable` or `timeout`; or with the signal's reason.
   */
  async token(scopes: readonly string[], signal: AbortSignal): Promise<GoogleToken> {
    const wanted = [...new Set(scopes.length === 0 ? DEFAULT_SCOPES : scopes)].sort();
    const key = wanted.join(' ');
    const source = this.#sources.get(key) ?? new TokenSource(wanted, this.#timeoutMs);
    this.#sources.set(key, source);
    return unlessAborted(source.token(), signal);
  }
}

/** One client of the library, shared by all calls with the same scopes. */
class TokenSource {
  readonly #scopes: string[];
  readonly #timeoutMs: number;
  #client: AnyAuthClient | undefined;
  #pending: Promise<GoogleToken> | undefined;
  /** Ends the requests of the token that is being fetched. */
  #scope = new AbortController();

  constructor(scopes: string[], timeoutMs: number) {
    this.#scopes = scopes;
    this.#timeoutMs = timeoutMs;
  }

  token(): Promise<GoogleToken> {
    this.#pending ??= this.#bounded().finally(() => {
      this.#pending = undefined;
    });
    return this.#pending;
  }

  async #bounded(): Promise<GoogleToken> {
    const options = { signal: new AbortController().signal, deadlineMs: Date.now() + this.#timeoutMs, peer: PEER };
    try {
      return await withProviderDeadline(options, (scope) => {
        this.#scope = scope;
        // Not everything that the library does can be aborted: at the deadline it is no longer waited for.
        return unlessAborted(this.#fetch(), scope.signal);
      });
    } catch (error) {
      // The next call looks again for a key file that was replaced or a metadata server that was down.
      this.#client = undefined;
      throw error;
    }
  }

  async #fetch(): Promise<GoogleToken> {
    try {
      this.#client ??= await this.#find();
      const { token } = await this.#client.getAccessToken();
      if (typeof token !== 'string' || token === '') throw new ProviderError('configuration', `${PEER} sent no token`);
      const { quotaProjectId } = this.#client;
      return { accessToken: token, ...(quotaProjectId === undefined ? {} : { quotaProjectId }) };
    } catch (error) {
      throw googleFailure(error);
    }
  }

  async #find(): Promise<AnyAuthClient> {
    const { GoogleAuth, JWT, gcpMetadata } = (await import('google-auth-library')).default;
    // The library caches for the life of the process that there is no metadata server.
    gcpMetadata.resetIsAvailableCache();
    // Without a project it would run gcloud to find one, and none is needed for a token.
    const auth = new GoogleAuth({ scopes: this.#scopes, projectId: 'unused' });
    const client = await auth.getClient();
    const tokenUri = tokenUriIn(auth.jsonContent);
    // The audience of the assertion has to be the token server that it is sent to.
    if (client instanceof JWT && tokenUri !== undefined) client.additionalClaims = { aud: tokenUri };
    client.transporter.interceptors.request.add({
      resolved: async (config) => {
        if (tokenUri !== undefined && config.url.href === LIBRARY_TOKEN_URI) config.url = new URL(tokenUri);
        return Object.assign(config, { signal: this.#scope.signal });
      },
    });
    return client;
  }
}

/** The token server that a key file names; the library calls Google's own whatever the file says. */
function tokenUriIn(keyFile: object | null): string | undefined {
  const uri = keyFile !== null && 'token_uri' in keyFile ? keyFile.token_uri : undefined;
  return typeof uri === 'string' && uri !== LIBRARY_TOKEN_URI && URL.canParse(uri) ? uri : undefined;
}

const UNREACHABLE = /^(ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE)$/;

/**
 * A failure of Google's library as a `ProviderError`. What the library says is left out, and it is no cause either: its
 * messages quote key files, and its errors hold requests with keys and answers with tokens.
 */
function googleFailure(error: unknown): ProviderError {
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
