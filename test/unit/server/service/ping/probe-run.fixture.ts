import type { ProbeOptions, ProbeOutcome } from '../../../../../src/server/providers/target.ts';
import { type FinishedProbe, ProbeRun, type ProbeSchedule } from '../../../../../src/server/service/ping/probe-run.ts';

/** Probes one after the other, without a pause. */
export const schedule = (extra: Partial<ProbeSchedule> = {}): ProbeSchedule => ({
  count: 4,
  intervalMs: 0,
  jitter: false,
  maxInFlight: 1,
  timeoutMs: 20_000,
  ...extra,
});

/** What a probe without a failure comes to. */
export const OK: ProbeOutcome = {
  ok: true,
  bytesSent: 1,
  bytesReceived: 1,
  rttMs: 1,
  clientSendTimeUnixNanos: 1n,
  clientReceiveTimeUnixNanos: 2n,
  serverReceivedTimeUnixNanos: 0n,
  serverSendTimeUnixNanos: 0n,
  timedOut: false,
};

/** Probes that end when they are told to. */
class HeldProbes {
  readonly started: { signal: AbortSignal; finish: () => void; fail: (error: unknown) => void }[] = [];
  readonly probe = ({ signal }: ProbeOptions) =>
    new Promise<ProbeOutcome>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      this.started.push({ signal, finish: () => resolve(OK), fail: reject });
    });

  get aborted(): boolean[] {
    return this.started.map(({ signal }) => signal.aborted);
  }
}

/** Lets everything happen that is ready to happen. */
export async function settle(): Promise<void> {
  for (let i = 0; i < 10; i++) await new Promise((resolve) => setImmediate(resolve));
}

export async function all(results: AsyncIterable<FinishedProbe>): Promise<FinishedProbe[]> {
  const probes: FinishedProbe[] = [];
  for await (const probe of results) probes.push(probe);
  return probes;
}

/** A run whose probes end when they are told to. */
export function held(extra: Partial<ProbeSchedule> = {}) {
  const probes = new HeldProbes();
  const controller = new AbortController();
  const run = new ProbeRun(schedule(extra), probes.probe, controller.signal);
  return { probes, controller, run, results: run.results() };
}
