import type { Entry } from '../entry.ts';
import type { Host } from '../io.ts';

export interface CompleteOptions {
  host: Host;
  signal: AbortSignal;
  entries: readonly Entry[];
}
