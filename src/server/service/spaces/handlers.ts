import { create } from '@bufbuild/protobuf';
import { EmptySchema } from '@bufbuild/protobuf/wkt';
import { DUPLICATE, invalidFields, notFound, type Violation } from '../../../shared/errors.ts';
import {
  type CreateSpaceRequest,
  type Space,
  type UpdateSpaceRequest,
  VectorQuantization,
} from '../../../shared/gen/service/v1/space_pb.ts';
import type { CallContext } from '../../context.ts';
import type { Db, Queryable } from '../../store/db.ts';
import { selectDefaultEmbedder, selectEmbeddersToAttach } from '../../store/embedders.ts';
import { DELETE_TIMEOUT_MS } from '../../store/memory-deletion.ts';
import { deleteSpaceRows } from '../../store/space-deletion.ts';
import { insertSpaceEmbedders } from '../../store/space-embedders.ts';
import { selectSpaceStatistics } from '../../store/space-statistics.ts';
import {
  insertSpace,
  type SpaceContent,
  type SpaceRow,
  selectSpaceForDelete,
  selectSpaceForUpdate,
  selectSpaceWithEmbedders,
  updateSpaceRow,
} from '../../store/spaces.ts';
import { chunkingRecord, readChunkingConfig } from '../chunking-config.ts';
import type { Handlers } from '../handlers.ts';
import type { PageTokens } from '../page-token.ts';
import { callerOf, guarded, requireInSpace, requireTarget } from '../permission.ts';
import { MAX_LABELS, newId, updatedLabels, written } from '../resources.ts';
import { requestedUserId } from '../users/load-user.ts';
import { listSpaces } from './list-spaces.ts';
import { foundSpace } from './load-space.ts';
import { spaceMessage, statisticsMessage } from './space-message.ts';

interface SpaceDeps {
  db: Db;
  pageTokens: PageTokens;
}

type SpaceHandlers = Pick<Handlers, 'createSpace' | 'getSpace' | 'listSpaces' | 'updateSpace' | 'deleteSpace'>;

export function createSpaceHandlers(deps: SpaceDeps): SpaceHandlers {
  const { db } = deps;
  return {
    createSpace: (request, context) => createSpace(db, request, context),

    async getSpace({ spaceId, includeStatistics }, context) {
      const space = foundSpace(await selectSpaceWithEmbedders(db.main, spaceId, guarded(context)), spaceId);
      requireInSpace(context, 'READ_SPACE', space);
      const message = spaceMessage(space);
      if (!includeStatistics) return message;
      const [statistics] = await selectSpaceStatistics(db.main, [spaceId], { signal: context.signal });
      return { ...message, statistics: statisticsMessage(statistics) };
    },

    listSpaces: (request, context) => listSpaces(deps, request, context),

    updateSpace: (request, context) => updateSpace(db, request, context),

    async deleteSpace({ spaceId }, context) {
      await deleteSpace(db, spaceId, context);
      return create(EmptySchema);
    },
  };
}

function updateSpace(db: Db, request: UpdateSpaceRequest, context: CallContext): Promise<Space> {
  return db.main.withTx(
    async (tx) => {
      const space = foundSpace(await selectSpaceForUpdate(tx, request.spaceId), request.spaceId);
      requireInSpace(context, 'UPDATE_SPACE', space);
      const updatedById = callerOf(context).userId;
      const row = changes(request) ? await updateSpaceRow(tx, contentAfter(request, space), updatedById) : space;
      return spaceMessage(written(row));
    },
    { signal: context.signal },
  );
}

function contentAfter(request: UpdateSpaceRequest, space: SpaceRow): SpaceContent {
  const retentionDays = request.retentionDays ?? space.retentionDays;
  return {
    spaceId: space.spaceId,
    name: request.name ?? space.name,
    labels: updatedLabels(space.labels, request.labelUpdate, MAX_LABELS),
    publicRead: request.publicRead ?? space.publicRead,
    retentionDays: retentionDays === 0 ? null : retentionDays,
    giveUpAfterMinutes: request.giveUpAfterMinutes ?? space.giveUpAfterMinutes,
  };
}

function changes(request: UpdateSpaceRequest): boolean {
  const { name, publicRead, retentionDays, giveUpAfterMinutes, labelUpdate } = request;
  const given = [name, publicRead, retentionDays, giveUpAfterMinutes, labelUpdate.case];
  return given.some((field) => field !== undefined);
}

function deleteSpace(db: Db, spaceId: string, context: CallContext): Promise<void> {
  const bound = { timeoutMs: DELETE_TIMEOUT_MS };
  return db.main.withTx(
    async (tx) => {
      const space = foundSpace(await selectSpaceForDelete(tx, spaceId, bound), spaceId);
      requireInSpace(context, 'DELETE_SPACE', space);
      const embedderIds = space.embedders.map(({ embedderId }) => embedderId);
      await deleteSpaceRows(tx, { spaceId, embedderIds }, bound);
    },
    { signal: context.signal, ...bound },
  );
}

/** How long the memories of a space wait for an unavailable provider. */
const DEFAULT_GIVE_UP_AFTER_MINUTES = 60;

function createSpace(db: Db, request: CreateSpaceRequest, context: CallContext): Promise<Space> {
  const { chosen, violations } = chosenEmbedders(request);
  const chunking = readChunkingConfig(request.defaultChunkingConfig, 'defaultChunkingConfig');
  const problems = [...violations, ...chunking.violations];
  if (problems.length > 0) throw invalidFields(problems);
  return db.main.withTx(
    async (tx) => {
      const embedders = await attachableEmbedders(tx, chosen);
      const ownerId = await requestedUserId(tx, context, 'CREATE_SPACE', request.ownerId);
      requireAttachable(context, embedders);
      const vectorQuantization = request.vectorQuantization === VectorQuantization.BINARY ? 'BINARY' : null;
      if (vectorQuantization !== null) requireQuantizable(embedders);
      const createdById = callerOf(context).userId;
      const row = await insertSpace(tx, {
        spaceId: request.spaceId ?? newId(),
        ownerId,
        name: request.name,
        description: request.description ?? null,
        labels: request.labels,
        publicRead: request.publicRead === true,
        chunkingConfig: chunkingRecord(chunking.message),
        retentionDays: request.retentionDays ?? null,
        giveUpAfterMinutes: request.giveUpAfterMinutes ?? DEFAULT_GIVE_UP_AFTER_MINUTES,
        vectorQuantization,
        createdById,
      });
      const space = written(row);
      const attached = await insertSpaceEmbedders(tx, { spaceId: space.spaceId, createdById, embedders });
      return spaceMessage({ ...space, embedders: attached });
    },
    { signal: context.signal },
  );
}

const DEFAULT_WEIGHT = 1;

/** An embedder of a new space. */
interface ChosenEmbedder {
  embedderId: string;
  weight: number;
}

/** The embedders of a request, in order; [] for the default embedder. */
function chosenEmbedders(request: CreateSpaceRequest): { chosen: ChosenEmbedder[]; violations: Violation[] } {
  const { spaceEmbedders, embedderId } = request;
  if (embedderId !== undefined) {
    const problem = 'cannot be given together with spaceEmbedders';
    const violations = spaceEmbedders.length > 0 ? [{ path: 'embedderId', problem }] : [];
    return { chosen: [{ embedderId, weight: DEFAULT_WEIGHT }], violations };
  }
  const violations: Violation[] = [];
  const seen = new Set<string>();
  const chosen = spaceEmbedders.map((item, index) => {
    const weight = item.defaultRetrievalWeight ?? DEFAULT_WEIGHT;
    const path = `spaceEmbedders[${index}]`;
    if (!Number.isFinite(weight)) {
      violations.push({ path: `${path}.defaultRetrievalWeight`, problem: 'must be a finite number' });
    }
    if (seen.has(item.embedderId)) violations.push({ path: `${path}.embedderId`, ...DUPLICATE });
    seen.add(item.embedderId);
    return { embedderId: item.embedderId, weight };
  });
  return { chosen, violations };
}

/**
 * The embedders of a new space, locked in the transaction that creates it. Throws NOT_FOUND for one that does not exist,
 * and INVALID_ARGUMENT when none was given and there is no default embedder.
 */
async function attachableEmbedders(tx: Queryable, chosen: readonly ChosenEmbedder[]) {
  if (chosen.length === 0) {
    const fallback = await selectDefaultEmbedder(tx);
    if (fallback === undefined) {
      throw invalidFields([{ path: 'spaceEmbedders', problem: 'is required: there is no default embedder' }]);
    }
    return [{ ...fallback, embedderId: fallback.id, weight: DEFAULT_WEIGHT }];
  }
  const ids = chosen.map(({ embedderId }) => embedderId);
  const rows = new Map((await selectEmbeddersToAttach(tx, ids)).map((row) => [row.id, row]));
  return chosen.map(({ embedderId, weight }) => {
    const row = rows.get(embedderId);
    if (row === undefined) throw notFound('Embedder', embedderId);
    return { ...row, embedderId, weight };
  });
}

/** Throws PERMISSION_DENIED unless the caller may read every embedder. */
function requireAttachable(context: CallContext, embedders: Awaited<ReturnType<typeof attachableEmbedders>>): void {
  for (const embedder of embedders) requireTarget(context, 'READ_EMBEDDER', embedder);
}

/** With fewer dimensions their signs tell vectors apart too badly. */
const FEWEST_QUANTIZED_DIMENSIONS = 1024;

/** Throws INVALID_ARGUMENT when an embedder has too few dimensions for an index of signs. */
function requireQuantizable(embedders: readonly { embedderId: string; dimensionality: number }[]): void {
  for (const { embedderId, dimensionality } of embedders) {
    if (dimensionality >= FEWEST_QUANTIZED_DIMENSIONS) continue;
    const problem = `needs embedders of at least ${FEWEST_QUANTIZED_DIMENSIONS} dimensions; ${embedderId} has ${dimensionality}`;
    throw invalidFields([{ path: 'vectorQuantization', problem }]);
  }
}
