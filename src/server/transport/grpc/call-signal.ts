import { setMaxListeners } from 'node:events';
import type { ServerUnaryCall } from '@grpc/grpc-js';

type Deadlined = NodeJS.EventEmitter & Pick<ServerUnaryCall<unknown, unknown>, 'getDeadline'>;

/** Joins the client's cancellation and its deadline into one signal. `release` must be called when the call is over. */
export function callSignal(call: Deadlined): { signal: AbortSignal; release: () => void } {
  const controller = new AbortController();
  // Each of the queries that a call runs at once listens; that many listeners are no leak.
  setMaxListeners(0, controller.signal);
  const cancelled = () => controller.abort(new DOMException('The client cancelled the call', 'AbortError'));
  call.on('cancelled', cancelled);
  const deadline = call.getDeadline();
  const left = deadline instanceof Date ? deadline.getTime() - Date.now() : deadline - Date.now();
  // A timer takes at most 2^31 - 1 ms; a deadline farther away than that needs none.
  const timer =
    left < 2 ** 31
      ? setTimeout(() => controller.abort(new DOMException('The deadline passed', 'TimeoutError')), left)
      : undefined;
  return {
    signal: controller.signal,
    release: () => {
      clearTimeout(timer);
      call.off('cancelled', cancelled);
    },
  };
}
