import { setMaxListeners } from 'node:events';
import type { ServerInterceptingCallInterface } from '@grpc/grpc-js';
import { startTimer } from '../../../shared/async/timer.ts';

export interface CallSignal {
  signal: AbortSignal;
  /** The client has cancelled. */
  cancel(): void;
  /** Must be called when the call is over. */
  release(): void;
}

/** Joins the client's cancellation and its deadline into one signal. */
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
    cancel: () => controller.abort(new DOMException('The client cancelled the call', 'AbortError')),
    release: () => timer?.clear(),
  };
}
