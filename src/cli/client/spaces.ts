import { type Space, SpaceService } from '../../shared/gen/service/v1/space_pb.ts';
import { UserService } from '../../shared/gen/service/v1/user_pb.ts';
import { CommandError, EXIT, usageError } from '../failure.ts';
import { given } from '../flags/optional.ts';
import { didYouMean } from '../parsing/suggest.ts';
import type { Client } from './client.ts';
import { hasCode } from './has-code.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** The id of a space that is named by id or by name. A name is looked for among the caller's own spaces, then the public ones. */
export async function resolveSpace(client: Client, nameOrId: string): Promise<string> {
  if (isUuid(nameOrId)) return nameOrId.toLowerCase();
  const ownerId = await ownUserId(client);
  const own = await named(client, nameOrId, ownerId === undefined ? {} : { ownerId });
  const found = own.length > 0 ? own : await named(client, nameOrId, { publicRead: true });
  const [first, second] = found;
  if (first === undefined) throw await noSuchSpace(client, nameOrId, ownerId);
  if (second === undefined) return first.spaceId;
  throw usageError(`Several spaces are named ${nameOrId}`, {
    details: found.map(({ spaceId, ownerId: owner }) => `${spaceId} of ${owner}`).join(', '),
    next: 'Name one of them by its id',
  });
}

/** The caller's own space of exactly this name. */
export async function ownSpaceNamed(client: Client, name: string): Promise<Space | undefined> {
  const ownerId = await ownUserId(client);
  const found = await named(client, name, ownerId === undefined ? {} : { ownerId });
  return found.find((space) => space.name === name);
}

/** Of a caller's own spaces, the newest, as many are looked through for a name like a mistyped one. */
const MOST_ALIKE = 100;

async function noSuchSpace(client: Client, name: string, ownerId: string | undefined): Promise<CommandError> {
  const { spaces } = await client.call(SpaceService.method.listSpaces, {
    maxResults: MOST_ALIKE,
    ...given({ ownerId }),
  });
  const meant = didYouMean(
    name,
    spaces.map((space) => space.name),
  );
  return new CommandError(`Space not found: ${name}`, {
    code: 'NOT_FOUND',
    exit: EXIT.noInput,
    details: meant ?? 'neither one of yours nor a public one has this name',
    next: 'Yours: svc spaces list; public ones: svc spaces list --public',
  });
}

/** Ids of the caller's own spaces, at most `limit`; one more than that when there are more. */
export async function ownSpaceIds(client: Client, limit: number): Promise<string[]> {
  const ownerId = await ownUserId(client);
  const { spaces } = await client.call(SpaceService.method.listSpaces, {
    maxResults: limit + 1,
    ...(ownerId === undefined ? {} : { ownerId }),
  });
  return spaces.map(({ spaceId }) => spaceId);
}

/** Administrators see everyone's spaces in a list; their own need their id. A key bound to spaces may not ask for it. */
async function ownUserId(client: Client): Promise<string | undefined> {
  try {
    return (await client.call(UserService.method.getUser, {})).userId;
  } catch (error) {
    if (hasCode(error, 'PERMISSION_DENIED')) return undefined;
    throw error;
  }
}

/** Names are unique per owner by letter; the server's filter ignores case, so an exact match wins over the others. */
async function named(
  client: Client,
  name: string,
  scope: { ownerId?: string; publicRead?: boolean },
): Promise<Space[]> {
  const nameFilter = name.replace(/[*?\\]/g, '\\$&');
  const { spaces } = await client.call(SpaceService.method.listSpaces, { ...scope, nameFilter, maxResults: 20 });
  const exact = spaces.filter((space) => space.name === name);
  return exact.length > 0 ? exact : spaces;
}
