import { DUPLICATE, invalidFields, notFound, ServiceError, type Violation } from '../../../shared/errors.ts';
import type { RetrieveMemoryEvent, RetrieveMemoryRequest } from '../../../shared/gen/service/v1/memory_pb.ts';
import { IterativeScan, SearchMode, type SpaceKey } from '../../../shared/gen/service/v1/retrieve_pb.ts';
import { type CallContext, StaleError } from '../../context.ts';
import type { Db } from '../../store/db.ts';
import type { EmbedderRow, SearchedEmbedderRow, SearchedSpace } from '../../store/embedders.ts';
import type { Filter } from '../../store/filter/ast.ts';
import type { VectorLayout } from '../../store/vector-layout.ts';
import type { HnswSettings } from '../../store/vector-search.ts';
import { parseFilter } from '../filter/parse-filter.ts';
import { requireInSpace } from '../permission.ts';
import { mayRead } from './inaccessible-memories.ts';
import { type LearnedSpaces, Premises } from './premises.ts';
import { spaceInaccessible, spaceNotFound } from './search-statuses.ts';

/** An embedder that takes part in the search of a space. */
export interface WeightedEmbedder {
  embedderId: string;
  /** Never 0. */
  weight: number;
  /** As the last search of the space found it. */
  readonly vectorCount: number;
  layout: VectorLayout;
}

/** The search of one space. */
export interface SpacePlan {
  spaceId: string;
  embedders: readonly WeightedEmbedder[];
  filter: Filter | undefined;
}

export interface RetrievalPlan {
  spaces: SpacePlan[];
  /** The current embedders of the spaces, by id. */
  embedders: ReadonlyMap<string, EmbedderRow>;
  premises: Premises;
  /** The statuses of spaces that were deleted or closed while the call ran, and are left out. */
  lost: readonly RetrieveMemoryEvent[];
}

export interface PlanDeps {
  db: Db;
  learned: LearnedSpaces;
}

const DEFAULT_HNSW: HnswSettings = {
  efSearch: 100,
  iterativeScan: 'strict_order',
  maxScanTuples: 20_000,
  scanMemMultiplier: 1,
};

const ITERATIVE_SCANS: Readonly<Record<IterativeScan, HnswSettings['iterativeScan']>> = {
  [IterativeScan.UNSPECIFIED]: DEFAULT_HNSW.iterativeScan,
  [IterativeScan.OFF]: 'off',
  [IterativeScan.RELAXED_ORDER]: 'relaxed_order',
  [IterativeScan.STRICT_ORDER]: 'strict_order',
};

/** The settings of the request, with the server's defaults. */
export function hnswSettings({ hnsw }: RetrieveMemoryRequest): HnswSettings {
  return {
    efSearch: hnsw?.efSearch ?? DEFAULT_HNSW.efSearch,
    iterativeScan: ITERATIVE_SCANS[hnsw?.iterativeScan ?? IterativeScan.UNSPECIFIED],
    maxScanTuples: hnsw?.maxScanTuples ?? DEFAULT_HNSW.maxScanTuples,
    scanMemMultiplier: hnsw?.scanMemMultiplier ?? DEFAULT_HNSW.scanMemMultiplier,
  };
}

/**
 * Plans a retrieval and checks it completely before the first event: fields, filters, existence, permission. Plans on what
 * earlier calls have learned; what would be refused on that is planned again on what is read now. Of the spaces in `proved`
 * this call knew before that they may be read: such a one is left out when that has changed.
 * Throws INVALID_ARGUMENT, NOT_FOUND or PERMISSION_DENIED.
 */
export async function planRetrieval(
  { db, learned }: PlanDeps,
  request: RetrieveMemoryRequest,
  context: CallContext,
  proved: ReadonlySet<string> = new Set(),
): Promise<RetrievalPlan> {
  refuseContradictions(request);
  const filters = request.spaceKeys.map(({ filter }, index) => parseFilter(filter ?? '', `spaceKeys[${index}].filter`));
  const planOnce = (premises: Premises) => planOn(premises, { filters, proved }, request, context);
  const premises = new Premises(db, learned, context);
  try {
    return await planOnce(premises);
  } catch (error) {
    if (!premises.isUnproved || error instanceof StaleError) throw error;
    premises.forget();
    return await planOnce(new Premises(db, learned, context));
  }
}

interface PlanBasis {
  /** By the index of the space's key. */
  filters: readonly (Filter | undefined)[];
  proved: ReadonlySet<string>;
}

async function planOn(
  premises: Premises,
  { filters, proved }: PlanBasis,
  request: RetrieveMemoryRequest,
  context: CallContext,
): Promise<RetrievalPlan> {
  const ids = request.spaceKeys.map((key) => key.spaceId);
  const found = await premises.spaces(ids);
  const lost: RetrieveMemoryEvent[] = [];
  const embedders = new Map<string, EmbedderRow>();
  const spaces = request.spaceKeys.flatMap((key, index): SpacePlan[] => {
    const { spaceId } = key;
    const space = proved.has(spaceId) ? found.get(spaceId) : readable(found.get(spaceId), spaceId, context);
    if (space === undefined || !mayRead(context, space)) {
      lost.push(space === undefined ? spaceNotFound(spaceId) : spaceInaccessible(spaceId));
      return [];
    }
    for (const row of space.embedders) embedders.set(row.id, row);
    return [{ spaceId, embedders: weightedEmbedders(key, space.embedders, index), filter: filters[index] }];
  });
  return { spaces, embedders, premises, lost };
}

function readable(space: SearchedSpace | undefined, id: string, context: CallContext): SearchedSpace {
  if (space === undefined) throw notFound('Space', id);
  requireInSpace(context, 'READ_MEMORY', space);
  return space;
}

/** Checks rules that concern several fields. */
function refuseContradictions(request: RetrieveMemoryRequest): void {
  const violations: Violation[] = [];
  const seen = new Set<string>();
  request.spaceKeys.forEach(({ spaceId }, index) => {
    if (seen.has(spaceId)) violations.push({ path: `spaceKeys[${index}].spaceId`, ...DUPLICATE });
    seen.add(spaceId);
  });
  request.context.forEach(({ item }, index) => {
    if (item.case === undefined) violations.push({ path: `context[${index}]`, problem: 'must have text or binary' });
  });
  if (request.fetchMemoryContent && request.fetchMemory === false) {
    violations.push({ path: 'fetchMemoryContent', problem: 'needs fetchMemory to be true' });
  }
  if (violations.length > 0) throw invalidFields(violations);
  const mode = request.search?.mode ?? SearchMode.UNSPECIFIED;
  if (mode === SearchMode.HYBRID || mode === SearchMode.TEXT) {
    throw new ServiceError('UNIMPLEMENTED', `This build does not support the search mode ${SearchMode[mode]}`);
  }
}

/** The space's embedders with the weights of this request; weight 0 skips one. */
function weightedEmbedders(key: SpaceKey, rows: readonly SearchedEmbedderRow[], index: number): WeightedEmbedder[] {
  const own = new Map<string, number>();
  key.embedderWeights.forEach(({ embedderId, weight }, position) => {
    const path = `spaceKeys[${index}].embedderWeights[${position}]`;
    if (!rows.some(({ id }) => id === embedderId)) {
      throw invalidFields([{ path: `${path}.embedderId`, problem: 'the space does not have this embedder' }]);
    }
    own.set(embedderId, weight);
  });
  return rows
    .map((row) => ({
      embedderId: row.id,
      weight: own.get(row.id) ?? row.defaultRetrievalWeight,
      get vectorCount() {
        return row.vectorCount;
      },
      layout: row.layout,
    }))
    .filter(({ weight }) => weight !== 0);
}
