import { setMaxListeners } from 'node:events';
import type { ServerInterceptingCallInterface } from '@grpc/grpc-js';

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
  // A timer takes at most 2^31 - 1 ms; a deadline farther away than that needs none.
  const timer =
    left < 2 ** 31
      ? setTimeout(() => controller.abort(new DOMException('The deadline passed', 'TimeoutError')), left)
      : undefined;
  return {
    signal: controller.signal,
    cancel: () => controller.abort(new DOMException('The client cancelled the call', 'AbortError')),
    release: () => clearTimeout(timer),
  };
}
