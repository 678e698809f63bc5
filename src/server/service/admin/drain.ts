import { create } from '@bufbuild/protobuf';
import {
  type DrainRequest,
  type DrainResponse,
  DrainResponseSchema,
  LifecycleState,
} from '../../../shared/gen/service/v1/admin_pb.ts';
import type { CallContext } from '../../context.ts';
import type { Lifecycle } from '../../lifecycle.ts';

const DEFAULT_TIMEOUT_S = 900;

/**
 * Drains this server and, when asked to, waits until it is QUIESCED. The end of the time is an answer, not a failure; a
 * caller that leaves ends its own wait and nothing else.
 */
export async function drainServer(
  lifecycle: Lifecycle,
  request: DrainRequest,
  context: CallContext,
): Promise<DrainResponse> {
  const { reason, waitForQuiesce, timeoutSec = DEFAULT_TIMEOUT_S } = request;
  const { state, running } = lifecycle;
  context.log.info({ state, running, ...(reason === undefined ? {} : { reason }) }, 'asked to drain');
  lifecycle.drain();
  if (!waitForQuiesce) return drainResponse(lifecycle);
  const limit = AbortSignal.timeout(timeoutSec * 1000);
  const isQuiesced = await lifecycle.reached('QUIESCED', AbortSignal.any([limit, context.signal]));
  if (!isQuiesced) context.signal.throwIfAborted();
  return drainResponse(lifecycle, isQuiesced ? undefined : timeoutSec);
}

function drainResponse({ state, running }: Lifecycle, waitedSec?: number): DrainResponse {
  const quiesced = state === 'QUIESCED';
  const work = running === 1 ? '1 request or job is' : `${running} requests or jobs are`;
  const message = `${work} still running${waitedSec === undefined ? '' : ` after ${waitedSec} s`}`;
  return create(DrainResponseSchema, {
    state: LifecycleState[state],
    quiesced,
    ...(quiesced ? {} : { message }),
  });
}
