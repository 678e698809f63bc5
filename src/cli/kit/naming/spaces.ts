import { EXIT } from '../../../shared/exit-codes.ts';
import { isUuid } from '../../../shared/fields/formats.ts';
import { type Space, SpaceService } from '../../../shared/gen/service/v1/space_pb.ts';
import { type Client, pages } from '../client/client.ts';
import { CommandError } from '../errors.ts';
import { given } from '../flags/flag.ts';
import { didYouMean } from '../text/suggest.ts';
import { type Deletion, isIdPrefix, type Noun, type Owned, only, ownUserId, toDelete } from './names.ts';

/** As the service bounds a page. */
const MOST_PER_PAGE = 1000;

interface Scope {
  ownerId?: string;
  publicRead?: boolean;
}

/**
 * The id of a space that is named by its id, by name, or by the beginning of its id. It is looked for among the caller's
 * own spaces, then the public ones.
 */
export async function resolveSpace(client: Client, wanted: string): Promise<string> {
  if (isUuid(wanted)) return wanted.toLowerCase();
  const ownerId = await ownUserId(client);
  const own = await named(client, wanted, given({ ownerId }));
  const found = own.length > 0 ? own : await named(client, wanted, { publicRead: true });
  const all = found.length > 0 || !isIdPrefix(wanted) ? found : await withPrefix(client, wanted);
  const one = only(
    all.map(({ spaceId: id, name, ownerId: owner }) => ({ id, names: [`${name} of ${owner}`] })),
    wanted,
    { many: 'spaces' },
  );
  if (one === undefined) throw await noSuchSpace(client, wanted, ownerId);
  return one.id;
}

/** Each once. Without a scope of its own a list shows what the caller may see: administrators see every owner's. */
async function withPrefix(
  client: Client,
  prefix: string,
  scopes: readonly Scope[] = [{}, { publicRead: true }],
): Promise<Space[]> {
  const found = new Map<string, Space>();
  for (const scope of scopes) {
    const list = pages(async (_wanted, nextToken) => {
      const request = { ...scope, maxResults: MOST_PER_PAGE, ...given({ nextToken }) };
      const response = await client.call(SpaceService.method.listSpaces, request);
      return { items: response.spaces, nextToken: response.nextToken };
    }, Number.POSITIVE_INFINITY);
    for await (const space of list) if (space.spaceId.startsWith(prefix.toLowerCase())) found.set(space.spaceId, space);
  }
  return [...found.values()];
}

/** The caller's own spaces of this name, whatever the case, and those whose ids begin so. */
async function ownSpacesLike(client: Client, wanted: string): Promise<Space[]> {
  const ownerId = await ownUserId(client);
  const found = await named(client, wanted, given({ ownerId }));
  return found.length > 0 || !isIdPrefix(wanted) ? found : withPrefix(client, wanted, [given({ ownerId })]);
}

/** The caller's own space of exactly this name. */
export async function ownSpaceNamed(client: Client, name: string): Promise<Space | undefined> {
  const ownerId = await ownUserId(client);
  const found = await named(client, name, given({ ownerId }));
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
    details: meant ?? 'none of your spaces and no public space has this name',
    next: 'See your spaces: svc spaces list; public ones: svc spaces list --public',
  });
}

/** Ids of the caller's own spaces, at most `limit`; one more than that when there are more. */
export async function ownSpaceIds(client: Client, limit: number): Promise<string[]> {
  const ownerId = await ownUserId(client);
  const { spaces } = await client.call(SpaceService.method.listSpaces, {
    maxResults: limit + 1,
    ...given({ ownerId }),
  });
  return spaces.map(({ spaceId }) => spaceId);
}

/** Names are unique per owner by letter; the server's filter ignores case, so an exact match wins over the others. */
async function named(client: Client, name: string, scope: Scope): Promise<Space[]> {
  const nameFilter = name.replace(/[*?\\]/g, '\\$&');
  const { spaces } = await client.call(SpaceService.method.listSpaces, { ...scope, nameFilter, maxResults: 20 });
  const exact = spaces.filter((space) => space.name === name);
  return exact.length > 0 ? exact : spaces;
}

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
