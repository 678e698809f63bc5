import type { PingClientMessage, PingServerMessage } from '../../../shared/gen/service/v1/ping_pb.ts';
import type { CallContext } from '../../context.ts';
import type { Handlers } from '../handlers.ts';
import type { TargetOpener } from '../targets/open-target.ts';
import { followControls, readConfig } from './controls.ts';
import { appliedByField, noticeEvent, probeResult, resultEvent, summaryEvent } from './messages.ts';
import { pingPlan, probePlan } from './plan.ts';
import { ProbeRun } from './probe-run.ts';
import { PingStatistics, type ProbeVerdict, verdictOf } from './statistics.ts';
import { openPingTarget, type PingTargetName } from './targets.ts';

/** One finished probe, for the metrics. */
export interface ProbeEvent {
  targetType: PingTargetName;
  result: ProbeVerdict;
}

export interface PingDeps {
  targets: TargetOpener;
  /** Told about every finished probe. Must not throw. */
  observe?: (event: ProbeEvent) => void;
}

export type PingHandlers = Pick<Handlers, 'ping' | 'pingOnce'>;

/** The operation has no permission of its own: which one is needed follows from the type of the target. */
export function createPingHandlers(deps: PingDeps): PingHandlers {
  async function* ping(
    requests: AsyncIterable<PingClientMessage>,
    context: CallContext,
  ): AsyncGenerator<PingServerMessage, void, undefined> {
    const messages = requests[Symbol.asyncIterator]();
    const config = await readConfig(messages, context.signal);
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
