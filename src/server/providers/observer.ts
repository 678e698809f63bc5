import type { TargetResource } from '../../shared/target-kinds.ts';
import { ProviderError, type ProviderErrorReason } from './errors.ts';

/** One finished call to a provider; `reason` is left out when it succeeded. */
export interface ProviderCallEvent {
  kind: Lowercase<TargetResource> | 'ocr';
  provider: string;
  durationMs: number;
  reason?: ProviderErrorReason;
}

/** Receives every finished call, retries counted one by one. Must not throw. */
export type ProviderObserver = (event: ProviderCallEvent) => void;

export interface ObservedCall {
  observe: ProviderObserver | undefined;
  kind: ProviderCallEvent['kind'];
  provider: string;
}

/** Runs one call and reports it. A call that its caller aborted is not reported: it says nothing about the provider. */
export async function observed<T>(target: ObservedCall, run: () => Promise<T>): Promise<T> {
  const { observe, kind, provider } = target;
  const started = performance.now();
  try {
    const result = await run();
    observe?.({ kind, provider, durationMs: performance.now() - started });
    return result;
  } catch (error) {
    if (error instanceof ProviderError) {
      observe?.({ kind, provider, durationMs: performance.now() - started, reason: error.reason });
    }
    throw error;
  }
}
