import { unlessAborted } from '../../../shared/async/abort.ts';
import { ServiceError } from '../../../shared/errors.ts';
import {
  type PingClientMessage,
  type PingConfig,
  PingControl,
  type PingServerMessage,
} from '../../../shared/gen/service/v1/ping_pb.ts';
import type { TargetResource } from '../../../shared/target-kinds.ts';
import type { CallContext } from '../../context.ts';
import type { Handlers } from '../handlers.ts';
import type { TargetOpener } from '../targets/open-target.ts';
import { appliedByField, noticeEvent, probeResult, resultEvent, summaryEvent } from './messages.ts';
import { pingPlan, probePlan } from './plan.ts';
import { ProbeRun } from './probe-run.ts';
import { PingStatistics, type ProbeVerdict, verdictOf } from './statistics.ts';
import { openPingTarget } from './targets.ts';

/** One finished probe, for the metrics. */
export interface ProbeEvent {
  targetType: TargetResource;
  result: ProbeVerdict;
}

interface PingDeps {
  targets: TargetOpener;
  /** Called for every finished probe. Must not throw. */
  observe?: (event: ProbeEvent) => void;
}

type PingHandlers = Pick<Handlers, 'ping' | 'pingOnce'>;

/** The operation has no permission of its own: which one is needed follows from the type of the target. */
export function createPingHandlers(deps: PingDeps): PingHandlers {
  async function* ping(
    requests: AsyncIterable<PingClientMessage>,
    context: CallContext,
  ): AsyncGenerator<PingServerMessage, void, undefined> {
    const messages = requests[Symbol.asyncIterator]();
    const config = await readPingConfig(messages, context.signal);
    const plan = pingPlan(config);
    const target = await openPingTarget(deps.targets, config, context);
    for (const clamp of plan.clamps) yield noticeEvent(clamp);

    const run = new ProbeRun(plan, (options) => target.probe(plan.payload, options), context.signal);
    void followControls(messages, run);
    const statistics = new PingStatistics();
    for await (const probe of run.results()) {
      statistics.add(probe);
      deps.observe?.({ targetType: target.type, result: verdictOf(probe.outcome) });
      yield resultEvent(probeResult(target.endpoint, probe.seq, probe.outcome, { ...plan.labels }));
    }
    yield summaryEvent(target.endpoint, statistics.figures(), plan.clamps);
  }

  return {
    ping,
    async pingOnce(request, context) {
      const { payload, timeoutMs, clamps } = probePlan(request);
      const target = await openPingTarget(deps.targets, request, context);
      const outcome = await target.probe(payload, { signal: context.signal, timeoutMs });
      deps.observe?.({ targetType: target.type, result: verdictOf(outcome) });
      return probeResult(target.endpoint, 1, outcome, appliedByField(clamps, 'clamped.'));
    },
  };
}

type Controlled = Pick<ProbeRun, 'ended' | 'pause' | 'resume' | 'cancel' | 'fail'>;

/** The first message. Throws INVALID_ARGUMENT unless it is a config, or the signal's reason. */
export async function readPingConfig(
  messages: AsyncIterator<PingClientMessage>,
  signal: AbortSignal,
): Promise<PingConfig> {
  const first = await unlessAborted(messages.next(), signal);
  const message = first.done === true ? undefined : first.value.message;
  if (message?.case === 'config') return message.value;
  throw new ServiceError('INVALID_ARGUMENT', 'The first message of a ping must be a config');
}

/**
 * Follows the client's messages until the run or the client's side of the stream ends. After the client half-closes,
 * there are only no more controls. The iterator is never returned, as that would close the server's side of the stream,
 * too.
 */
export async function followControls(messages: AsyncIterator<PingClientMessage>, run: Controlled): Promise<void> {
  try {
    while (!run.ended) {
      const next = await messages.next();
      if (next.done === true) return;
      obey(next.value, run);
    }
  } catch (error) {
    run.fail(error);
  }
}

const ACTIONS = {
  [PingControl.PAUSE]: 'pause',
  [PingControl.RESUME]: 'resume',
  [PingControl.CANCEL]: 'cancel',
} as const satisfies Partial<Record<PingControl, keyof Controlled>>;

function obey({ message }: PingClientMessage, run: Controlled): void {
  if (message.case === 'config') {
    throw new ServiceError('INVALID_ARGUMENT', 'A ping takes one config, as its first message');
  }
  if (message.case === undefined || message.value === PingControl.UNSPECIFIED) {
    throw new ServiceError('INVALID_ARGUMENT', 'A ping is controlled with PAUSE, RESUME or CANCEL');
  }
  run[ACTIONS[message.value]]();
}
