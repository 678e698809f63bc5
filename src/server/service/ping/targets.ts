import { create } from '@bufbuild/protobuf';
import { ServiceError } from '../../../shared/errors.ts';
import { type PingEndpoint, PingEndpointSchema, TargetType } from '../../../shared/gen/service/v1/ping_pb.ts';
import type { CallContext } from '../../context.ts';
import type { EmbedderRecord } from '../../providers/embedders/types.ts';
import type { LlmRecord } from '../../providers/llms/types.ts';
import type { ProbeOptions, ProbeOutcome } from '../../providers/probe-types.ts';
import type { RerankerRecord } from '../../providers/rerankers/types.ts';
import type { Queryable } from '../../store/db.ts';
import { embedderKind } from '../embedders/embedder-kind.ts';
import { llmKind } from '../llms/llm-kind.ts';
import { requireTarget, type TargetAccess } from '../permission.ts';
import { rerankerKind } from '../rerankers/reranker-kind.ts';
import { notFound } from '../resource-ids.ts';
import type { TargetKind } from '../targets/target-kind.ts';
import { inProcessFailures } from './in-process-failures.ts';

/** Something that can be probed. */
export interface PingTarget {
  type: PingTargetName;
  endpoint: PingEndpoint;
  /** A failure of the target is an outcome; only the signal rejects. */
  probe(payload: string, options: ProbeOptions): Promise<ProbeOutcome>;
}

export type PingTargetName = TargetKind<never>['resource'];

/** Records of one kind and the clients that call them. */
export interface Probing<Record> {
  load(id: string, signal: AbortSignal): Promise<Record>;
  client(record: Record): {
    resolvedEndpoint: string;
    probe(payload: string, options: ProbeOptions): Promise<ProbeOutcome>;
  };
}

export interface PingTargetDeps {
  pool: Queryable;
  embedders: Probing<EmbedderRecord>;
  rerankers: Probing<RerankerRecord>;
  llms: Probing<LlmRecord>;
}

/** One kind of target: how it is found and, for who may ping it, opened. */
interface PingKind {
  type: TargetType;
  title: TargetKind<never>['title'];
  permission: `PING_${PingTargetName}`;
  find(id: string, signal: AbortSignal): Promise<TargetAccess | undefined>;
  open(id: string, signal: AbortSignal): Promise<PingTarget>;
}

export interface PingTargetRequest {
  targetId: string;
  targetTypeHint: TargetType;
}

/**
 * Finds the target of a ping: among those of the hinted type, else among all, embedders first. Throws NOT_FOUND, also
 * for an id of another type than the hint, then PERMISSION_DENIED.
 */
export function createTargetFinder({ pool, embedders, rerankers, llms }: PingTargetDeps) {
  const kinds = [
    pingKind(pool, TargetType.EMBEDDER, embedderKind, embedders),
    pingKind(pool, TargetType.RERANKER, rerankerKind, rerankers),
    pingKind(pool, TargetType.LLM, llmKind, llms),
  ];
  return async ({ targetId, targetTypeHint }: PingTargetRequest, context: CallContext): Promise<PingTarget> => {
    const hinted = kinds.find(({ type }) => type === targetTypeHint);
    for (const { permission, find, open } of hinted === undefined ? kinds : [hinted]) {
      const access = await find(targetId, context.signal);
      if (access === undefined) continue;
      requireTarget(context, permission, access);
      return await open(targetId, context.signal);
    }
    throw hinted === undefined
      ? new ServiceError('NOT_FOUND', `Target not found: ${targetId}`)
      : notFound(hinted.title, targetId);
  };
}

function pingKind<Own, Record extends { providerType: string; modelIdentifier: string }>(
  pool: Queryable,
  type: TargetType,
  { resource, title, store }: TargetKind<Own>,
  { load, client: clientOf }: Probing<Record>,
): PingKind {
  return {
    type,
    title,
    permission: `PING_${resource}`,
    find: async (id, signal) => (await store.select(pool, [id], { signal }))[0],
    async open(id, signal) {
      const record = await load(id, signal);
      const client = clientOf(record);
      const endpoint = create(PingEndpointSchema, {
        targetType: type,
        targetId: id,
        resolvedEndpoint: client.resolvedEndpoint,
        provider: record.providerType,
        modelIdentifier: record.modelIdentifier,
      });
      return {
        type: resource,
        endpoint,
        probe: (payload, options) => inProcessFailures(payload, options, () => client.probe(payload, options)),
      };
    },
  };
}
