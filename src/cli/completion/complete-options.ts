import type { Entry } from '../kit/command.ts';
import type { Host } from '../kit/output/io.ts';

export interface CompleteOptions {
  host: Host;
  signal: AbortSignal;
  entries: readonly Entry[];
}
