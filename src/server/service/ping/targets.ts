import { create } from '@bufbuild/protobuf';
import { notFound, ServiceError } from '../../../shared/errors.ts';
import { type PingEndpoint, PingEndpointSchema, TargetType } from '../../../shared/gen/service/v1/ping_pb.ts';
import type { TargetResource } from '../../../shared/target-kinds.ts';
import type { CallContext } from '../../context.ts';
import { startProbeClock } from '../../providers/probe.ts';
import type { ProbeOptions, ProbeOutcome, TargetClient, TargetRecord } from '../../providers/target.ts';
import { ofEachKind, type TargetKind } from '../targets/kinds.ts';
import type { TargetOpener } from '../targets/open-target.ts';

/** Something that can be probed. */
interface PingTarget {
  type: TargetResource;
  endpoint: PingEndpoint;
  /** A failure of the target is an outcome; only the signal rejects. */
  probe(payload: string, options: ProbeOptions): Promise<ProbeOutcome>;
}

/** One kind of target, and how a target of it is opened for a caller who may ping it; undefined when there is none. */
interface PingKind {
  type: TargetType;
  title: TargetKind<never>['title'];
  open(targets: TargetOpener, id: string, context: CallContext): Promise<PingTarget | undefined>;
}

const KINDS: readonly PingKind[] = Object.values(ofEachKind(pingKind));

interface PingTargetRequest {
  targetId: string;
  targetTypeHint: TargetType;
}

/**
 * Opens the target of a ping: among those of the hinted type, else among all. Throws NOT_FOUND, also for an id of
 * another type than the hint, then PERMISSION_DENIED.
 */
export async function openPingTarget(
  targets: TargetOpener,
  { targetId, targetTypeHint }: PingTargetRequest,
  context: CallContext,
): Promise<PingTarget> {
  const hinted = KINDS.find(({ type }) => type === targetTypeHint);
  for (const kind of hinted === undefined ? KINDS : [hinted]) {
    const target = await kind.open(targets, targetId, context);
    if (target !== undefined) return target;
  }
  throw notFound(hinted?.title ?? 'Target', targetId);
}

function pingKind<Own, Record extends TargetRecord, Client extends TargetClient>(
  kind: TargetKind<Own, Record, Client>,
): PingKind {
  const type = TargetType[kind.resource];
  return {
    type,
    title: kind.title,
    async open(targets, targetId, context) {
      const target = await targets.openIfThere(kind, targetId, 'PING', context);
      if (target === undefined) return undefined;
      const { providerType: provider, modelIdentifier } = target.record;
      const client = target.client();
      const { resolvedEndpoint } = client;
      const members = { targetType: type, targetId, resolvedEndpoint, provider, modelIdentifier };
      return {
        type: kind.resource,
        endpoint: create(PingEndpointSchema, members),
        probe: (payload, options) => inProcessFailures(payload, options, () => client.probe(payload, options)),
      };
    },
  };
}

/**
 * Runs one probe. An in-process target runs in worker threads of the server and fails with a ServiceError, such as a
 * worker out of memory, which is a failed probe like any other and not the end of the ping.
 */
export async function inProcessFailures(
  payload: string,
  { signal }: ProbeOptions,
  run: () => Promise<ProbeOutcome>,
): Promise<ProbeOutcome> {
  const times = startProbeClock();
  try {
    return await run();
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ServiceError)) throw error;
    return {
      ok: false,
      bytesSent: Buffer.byteLength(payload),
      bytesReceived: 0,
      ...times(),
      timedOut: error.code === 'DEADLINE_EXCEEDED',
      errorMessage: error.message,
    };
  }
}
