import { invalidFields, notFound, type Violation } from '../../../shared/errors.ts';
import type { CreateSpaceRequest } from '../../../shared/gen/service/v1/space_pb.ts';
import type { CallContext } from '../../context.ts';
import type { Queryable } from '../../store/db.ts';
import { selectDefaultEmbedder, selectEmbeddersToAttach } from '../../store/embedders.ts';
import { requireTarget } from '../permission.ts';

const DEFAULT_WEIGHT = 1;

/** An embedder that a new space is to use. */
export interface ChosenEmbedder {
  embedderId: string;
  weight: number;
}

/** The embedders that a request names, in its order; [] leaves the choice to the server. */
export function chosenEmbedders(request: CreateSpaceRequest): { chosen: ChosenEmbedder[]; violations: Violation[] } {
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
    if (seen.has(item.embedderId)) violations.push({ path: `${path}.embedderId`, problem: 'is given twice' });
    seen.add(item.embedderId);
    return { embedderId: item.embedderId, weight };
  });
  return { chosen, violations };
}

/**
 * The embedders of a new space, locked for the transaction that makes it. Throws NOT_FOUND for one that does not exist,
 * and INVALID_ARGUMENT when none was chosen and there is no default.
 */
export async function attachableEmbedders(tx: Queryable, chosen: readonly ChosenEmbedder[]) {
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

/** Throws PERMISSION_DENIED unless the caller can read every embedder. */
export function requireAttachable(
  context: CallContext,
  embedders: Awaited<ReturnType<typeof attachableEmbedders>>,
): void {
  for (const embedder of embedders) requireTarget(context, 'READ_EMBEDDER', embedder);
}
