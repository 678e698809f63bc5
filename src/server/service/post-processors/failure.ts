import { ModuleSilent, Unsendable } from '../../workers/post-processor/failures.ts';
import { BadOutput } from './outputs.ts';

/** Why a post processor has not come to its end. */
export interface Failure {
  reason: 'error' | 'timeout' | 'bad output';
  error: unknown;
}

/** `scope` is the signal that ends the work, aborted when its time was up. */
export function failureOf(error: unknown, scope: AbortSignal): Failure {
  if (error instanceof BadOutput || error instanceof Unsendable) return { reason: 'bad output', error };
  return { reason: scope.aborted || error instanceof ModuleSilent ? 'timeout' : 'error', error };
}
