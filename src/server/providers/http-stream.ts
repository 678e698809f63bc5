import type { ProviderResponse } from './http.ts';

/** An answer whose head has arrived. Its body is read once, by either means. */
export interface StreamedAnswer {
  status: number;
  headers: ProviderResponse['headers'];
  /** The body as it comes. Throws `ProviderError`s, or the signal's reason. */
  parts: AsyncIterable<Uint8Array>;
  /** The body in one piece. Rejects like `parts`. */
  whole(): Promise<ProviderResponse>;
}
