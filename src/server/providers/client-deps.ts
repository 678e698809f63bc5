import type { ProviderHttp } from './http.ts';
import type { ProviderObserver } from './observer.ts';

/** What the clients of all inference targets need. */
export interface ClientDeps {
  http: ProviderHttp;
  /** Bound of one HTTP call in milliseconds (`--provider-timeout-s`). */
  timeoutMs: number;
  /** Told about every finished call, for the metrics. */
  observe?: ProviderObserver;
}
