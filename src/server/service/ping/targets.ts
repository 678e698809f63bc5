import { create } from '@bufbuild/protobuf';
import { ServiceError } from '../../../shared/errors.ts';
import { type PingEndpoint, PingEndpointSchema, TargetType } from '../../../shared/gen/service/v1/ping_pb.ts';
import type { CallContext } from '../../context.ts';
import type { EmbedderClient, EmbedderRecord } from '../../providers/embedders/types.ts';
import type { ProbeOptions, ProbeOutcome } from '../../providers/probe-types.ts';
import type { Queryable } from '../../store/db.ts';
import { selectEmbedders } from '../../store/embedders.ts';
import type { EmbedderLoader } from '../embedders/load-embedders.ts';
import { requireTarget, type TargetAccess } from '../permission.ts';
import { notFound, type ResourceKind } from '../resource-ids.ts';
import { inProcessFailures } from './in-process-failures.ts';

/** Something that can be probed. */
export interface PingTarget {
  type: PingTargetName;
  endpoint: PingEndpoint;
  /** A failure of the target is an outcome; only the signal rejects. */
  probe(payload: string, options: ProbeOptions): Promise<ProbeOutcome>;
}

export type PingTargetName = 'EMBEDDER' | 'RERANKER' | 'LLM';

export interface PingTargetDeps {
  pool: Queryable;
  embedders: { client(record: EmbedderRecord): EmbedderClient };
  embedderLoader: Pick<EmbedderLoader, 'loadEmbedder'>;
}

/** A target that exists, before it is known whether the caller may ping it. */
interface FoundTarget {
  access: TargetAccess;
  open(): Promise<PingTarget>;
}

/** One type of target: what it is called, what pinging it needs, and how it is found. */
interface TargetKind {
  permission: 'PING_EMBEDDER' | 'PING_RERANKER' | 'PING_LLM';
  find(id: string, signal: AbortSignal): Promise<FoundTarget | undefined>;
}

const NAMES = {
  [TargetType.EMBEDDER]: 'Embedder',
  [TargetType.RERANKER]: 'Reranker',
  [TargetType.LLM]: 'LLM',
} as const satisfies Partial<Record<TargetType, ResourceKind>>;

export interface PingTargetRequest {
  targetId: string;
  targetTypeHint: TargetType;
}

/**
 * Finds the target of a ping: among those of the hinted type, else among all, in the order of the table. Throws
 * NOT_FOUND, also for an id of another type than the hint, then PERMISSION_DENIED.
 */
export function createTargetFinder(deps: PingTargetDeps) {
  const kinds = new Map<TargetType, TargetKind>([
    [TargetType.EMBEDDER, { permission: 'PING_EMBEDDER', find: (id, signal) => findEmbedder(deps, id, signal) }],
  ]);
  return async ({ targetId, targetTypeHint }: PingTargetRequest, context: CallContext): Promise<PingTarget> => {
    for (const [type, { permission, find }] of kinds) {
      if (targetTypeHint !== TargetType.UNSPECIFIED && targetTypeHint !== type) continue;
      const found = await find(targetId, context.signal);
      if (found === undefined) continue;
      requireTarget(context, permission, found.access);
      return await found.open();
    }
    if (targetTypeHint !== TargetType.UNSPECIFIED) throw notFound(NAMES[targetTypeHint], targetId);
    throw new ServiceError('NOT_FOUND', `Target not found: ${targetId}`);
  };
}

async function findEmbedder(deps: PingTargetDeps, id: string, signal: AbortSignal): Promise<FoundTarget | undefined> {
  const [access] = await selectEmbedders(deps.pool, [id], { signal });
  if (access === undefined) return undefined;
  const open = async (): Promise<PingTarget> => {
    const record = await deps.embedderLoader.loadEmbedder(id, signal);
    const client = deps.embedders.client(record);
    const endpoint = create(PingEndpointSchema, {
      targetType: TargetType.EMBEDDER,
      targetId: id,
      resolvedEndpoint: client.resolvedEndpoint,
      provider: record.providerType,
      modelIdentifier: record.modelIdentifier,
    });
    return {
      type: 'EMBEDDER',
      endpoint,
      probe: (payload, options) => inProcessFailures(payload, options, () => client.probe(payload, options)),
    };
  };
  return { access, open };
}
