import { ERROR_CODES } from '../../shared/errors.ts';
import { EXIT } from '../../shared/exit-codes.ts';
import { ProviderTypeSchema } from '../../shared/gen/service/v1/common_pb.ts';
import { type Embedder, EmbedderService } from '../../shared/gen/service/v1/embedder_pb.ts';
import { type Space, SpaceService } from '../../shared/gen/service/v1/space_pb.ts';
import type { Client } from '../kit/client/client.ts';
import { CommandError, hasCode, usageError } from '../kit/errors.ts';
import { given } from '../kit/flags/flag.ts';
import { ownSpaceNamed } from '../kit/naming/spaces.ts';
import { type EmbedderSelection, resolveSelections } from '../kit/naming/targets.ts';
import { enumText } from '../kit/output/columns.ts';
import { oneLine } from '../kit/text/printable.ts';
import type { SpaceItem } from './format.ts';

export interface TargetOptions {
  /** Undefined keeps the name and the ids. */
  name: string | undefined;
  /** None means the same or alike. */
  embedders: readonly EmbedderSelection[];
}

export interface TargetSpace {
  space: Space;
  /** It was there before: what it has is kept. */
  existed: boolean;
}

/**
 * The space that memories go into. With a name it is the caller's space of that name, without one it is the space of the
 * same id; what is not there is made. So a second run finds what the first one has made.
 */
export async function openTarget(client: Client, source: SpaceItem, options: TargetOptions): Promise<TargetSpace> {
  const { name } = options;
  const embedders = await resolveSelections(client, options.embedders);
  const existing = name === undefined ? await sameSpace(client, source) : await ownSpaceNamed(client, name);
  if (existing !== undefined) {
    requireEmbedders(existing, embedders);
    return { space: existing, existed: true };
  }
  const { space } = source;
  const selections = embedders.length > 0 ? embedders : await embeddersLike(client, source);
  const request = {
    name: name ?? space.name,
    labels: space.labels,
    publicRead: space.publicRead,
    spaceEmbedders: selections,
    ...given({
      description: space.description,
      retentionDays: space.retentionDays,
      giveUpAfterMinutes: space.giveUpAfterMinutes,
      // Other embedders may have too few dimensions.
      vectorQuantization: embedders.length > 0 ? undefined : space.vectorQuantization,
      defaultChunkingConfig: space.defaultChunkingConfig,
      spaceId: name === undefined ? space.spaceId : undefined,
    }),
  };
  try {
    return { space: await client.call(SpaceService.method.createSpace, request), existed: false };
  } catch (error) {
    throw hasCode(error, 'ALREADY_EXISTS') && name === undefined ? taken(error.message) : error;
  }
}

async function sameSpace(client: Client, { space }: SpaceItem): Promise<Space | undefined> {
  try {
    return await client.call(SpaceService.method.getSpace, { spaceId: space.spaceId });
  } catch (error) {
    if (hasCode(error, 'NOT_FOUND')) return undefined;
    if (hasCode(error, 'PERMISSION_DENIED'))
      throw taken(`The space ${space.spaceId} exists already and belongs to another user`);
    throw error;
  }
}

function requireEmbedders({ name, spaceEmbedders }: Space, wanted: readonly EmbedderSelection[]): void {
  const present = new Set(spaceEmbedders.map(({ embedderId }) => embedderId));
  const isSame = wanted.length === present.size && wanted.every(({ embedderId }) => present.has(embedderId));
  if (wanted.length === 0 || isSame) return;
  throw usageError(`The space ${name} exists already, with other embedders`, {
    details: `it has ${[...present].join(', ')}, which cannot be changed`,
    next: 'Take another name, or delete that space first',
  });
}

function taken(message: string): CommandError {
  return new CommandError(message, {
    code: 'ALREADY_EXISTS',
    exit: ERROR_CODES.ALREADY_EXISTS.exit,
    next: 'Import it under another name: --name NAME',
  });
}

/**
 * The embedders for a copy of a space: the same ones where they exist here, else ones with the same provider, model and
 * dimensions.
 *
 * @throws CommandError (exit 66) for an embedder that has no like.
 */
async function embeddersLike(client: Client, { space, embedders }: SpaceItem): Promise<EmbedderSelection[]> {
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
