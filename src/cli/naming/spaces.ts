import { type Space, SpaceService } from '../../shared/gen/service/v1/space_pb.ts';
import type { Client } from '../client/client.ts';
import { ownSpacesLike } from '../client/spaces.ts';
import { type Deletion, type Owned, toDelete } from './deletion.ts';
import type { Noun } from './match.ts';

const SPACES: Noun = { one: 'Space', many: 'spaces', list: 'svc spaces list' };

/** The space that is to be deleted, or out of which. */
export function spaceDeletion(client: Client, wanted: string): Promise<Deletion> {
  return toDelete(client, wanted, {
    noun: SPACES,
    isOwned: true,
    candidates: async () => (await ownSpacesLike(client, wanted)).map(namedSpace),
    get: spaceById,
  });
}

export async function spaceById(client: Client, spaceId: string): Promise<Owned> {
  return namedSpace(await client.call(SpaceService.method.getSpace, { spaceId }));
}

function namedSpace({ spaceId: id, name, ownerId }: Space): Owned {
  return { id, names: [name], ownerId };
}
