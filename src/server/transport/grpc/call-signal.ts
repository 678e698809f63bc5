import { setMaxListeners } from 'node:events';
import type { ServerInterceptingCallInterface } from '@grpc/grpc-js';
import { startTimer } from '../../../shared/async/timer.ts';

export interface CallSignal {
  signal: AbortSignal;
  /** Aborts the signal because the client canceled the call. */
  cancel(): void;
  /** Must be called when the call is over. */
  release(): void;
}

/** One signal for the client's cancellation and its deadline. */
export function callSignal(call: Pick<ServerInterceptingCallInterface, 'getDeadline'>): CallSignal {
  const controller = new AbortController();
  // Each of the queries that a call runs at once listens; that many listeners are no leak.
  setMaxListeners(0, controller.signal);
  const deadline = call.getDeadline();
  const left = deadline instanceof Date ? deadline.getTime() - Date.now() : deadline - Date.now();
  const late = () => controller.abort(new DOMException('The deadline passed', 'TimeoutError'));
  const timer = left === Number.POSITIVE_INFINITY ? undefined : startTimer(left, late);
  return {
    signal: controller.signal,
    cancel: () => controller.abort(new DOMException('The client canceled the call', 'AbortError')),
    release: () => timer?.clear(),
  };
}
