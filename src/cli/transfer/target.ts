import { ERROR_CODES } from '../../shared/errors.ts';
import { type Space, SpaceService } from '../../shared/gen/service/v1/space_pb.ts';
import type { Client } from '../kit/client/client.ts';
import { CommandError, hasCode, usageError } from '../kit/errors.ts';
import { given } from '../kit/flags/flag.ts';
import { ownSpaceNamed } from '../kit/naming/spaces.ts';
import { type EmbedderSelection, resolveSelections } from '../kit/naming/targets.ts';
import { embeddersLike } from './embedders.ts';
import type { SpaceItem } from './item.ts';

export interface TargetOptions {
  /** Undefined keeps the name and the ids. */
  name: string | undefined;
  /** None means the same or alike. */
  embedders: readonly EmbedderSelection[];
}

export interface Target {
  space: Space;
  /** It was there before: what it has is kept. */
  existed: boolean;
}

/**
 * The space that memories go into. With a name it is the caller's space of that name, without one it is the space of the
 * same id; what is not there is made. So a second run finds what the first one has made.
 */
export async function openTarget(client: Client, source: SpaceItem, options: TargetOptions): Promise<Target> {
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
      throw taken(`The space ${space.spaceId} exists already and belongs to somebody else`);
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
