import { unique } from '../../support/stage.ts';
import type { TargetKind } from '../target-kinds.ts';
import type { Place } from './access.ts';
import type { Subject } from './row.ts';
import type { World } from './world.fixture.ts';

/** The space of the world that fits the place. */
export function standingSpace({ spaces }: World, place: Place): Subject {
  return { spaceId: place === 'public' ? spaces.public : spaces.private };
}

/** A new space of the owner, empty. */
export async function freshSpace(world: World, place: Place): Promise<Subject> {
  const { spaceId } = await world.ok('createSpace', {
    name: unique('fresh'),
    ownerId: world.people.ada.userId,
    embedderId: await world.stage.embedder(),
    publicRead: place === 'public',
  });
  return { spaceId };
}

/** The processed memory of the world that fits the place. */
export function standingMemory(world: World, place: Place): Subject {
  return { ...standingSpace(world, place), memoryId: world.memories[place === 'public' ? 'public' : 'private'] };
}

/** A new memory in the space of the world that fits the place, processed if that is waited for. */
export async function freshMemory(world: World, place: Place, waitMs = 0): Promise<Subject> {
  const { spaceId = '' } = standingSpace(world, place);
  const request = { spaceId, contentType: 'text/plain', originalContent: 'Fresh.', waitMs };
  return { spaceId, memoryId: (await world.ok('createMemory', request)).memoryId };
}

/** The target of the world that fits the place. */
export function standingTarget(world: World, kind: TargetKind, place: Place): Subject {
  const owners = world.targets.get(kind);
  if (owners === undefined) throw new Error(`the world has no ${kind.resource}`);
  return { [kind.id]: place === 'shared' ? owners.root : owners.ada };
}

/** A new target, of ROOT where it is to be shared. */
export async function freshTarget(
  { people, upstream, ...world }: World,
  kind: TargetKind,
  place: Place,
): Promise<Subject> {
  const { userId } = place === 'shared' ? people.root : people.ada;
  return {
    [kind.id]: kind.idOf(await world.stage.ok(kind.create, { ...kind.body(upstream.newUrl()), ownerId: userId })),
  };
}

/** A new key of the owner. */
export async function freshApiKey(world: World): Promise<Subject> {
  const { userId } = world.people.ada;
  return { apiKeyId: (await world.ok('createApiKey', { userId })).apiKeyMetadata.apiKeyId };
}

/** A new user with a key, who owns nothing. */
export async function freshUser({ stage }: World): Promise<Subject> {
  return { ...(await stage.person()) };
}
