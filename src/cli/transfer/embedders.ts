import { ProviderTypeSchema } from '../../shared/gen/service/v1/common_pb.ts';
import { type Embedder, EmbedderService } from '../../shared/gen/service/v1/embedder_pb.ts';
import type { Client } from '../kit/client/client.ts';
import { CommandError, EXIT, hasCode } from '../kit/errors.ts';
import type { EmbedderSelection } from '../kit/naming/targets.ts';
import { enumText } from '../kit/output/columns.ts';
import { oneLine } from '../kit/text/printable.ts';
import type { SpaceItem } from './item.ts';

/**
 * The embedders for a copy of a space: the same ones where they exist here, else ones with the same provider, model and
 * dimensions.
 *
 * @throws CommandError (exit 66) for an embedder that has no like.
 */
export async function embeddersLike(client: Client, { space, embedders }: SpaceItem): Promise<EmbedderSelection[]> {
  const selections: EmbedderSelection[] = [];
  for (const { embedderId, defaultRetrievalWeight } of space.spaceEmbedders) {
    const known = embedders.find((embedder) => embedder.embedderId === embedderId);
    const id = (await isHere(client, embedderId)) ? embedderId : await alike(client, known);
    if (id === undefined) throw noneLike(known, embedderId);
    selections.push({ embedderId: id, defaultRetrievalWeight });
  }
  return selections;
}

async function isHere(client: Client, embedderId: string): Promise<boolean> {
  try {
    await client.call(EmbedderService.method.getEmbedder, { embedderId });
    return true;
  } catch (error) {
    if (hasCode(error, 'NOT_FOUND', 'PERMISSION_DENIED')) return false;
    throw error;
  }
}

async function alike(client: Client, wanted: Embedder | undefined): Promise<string | undefined> {
  if (wanted === undefined) return undefined;
  const { embedders } = await client.call(EmbedderService.method.listEmbedders, {});
  return embedders.find(
    ({ providerType, modelIdentifier, dimensionality }) =>
      providerType === wanted.providerType &&
      modelIdentifier === wanted.modelIdentifier &&
      dimensionality === wanted.dimensionality,
  )?.embedderId;
}

function noneLike(wanted: Embedder | undefined, embedderId: string): CommandError {
  const provider = wanted === undefined ? '' : enumText(ProviderTypeSchema, wanted.providerType);
  const details =
    wanted === undefined
      ? 'there is no embedder with this id, and the file does not describe it'
      : oneLine(
          `there is no ${provider} embedder with the model ${wanted.modelIdentifier}, ${wanted.dimensionality} dimensions`,
        );
  return new CommandError(`No embedder like ${oneLine(wanted?.displayName ?? embedderId)} is on this server`, {
    code: 'NOT_FOUND',
    exit: EXIT.noInput,
    details,
    next: 'Choose one with --embedder ID; to see them: svc embedders list',
  });
}
