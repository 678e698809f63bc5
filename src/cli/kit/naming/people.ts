import { isUuid } from '../../../shared/fields/formats.ts';
import { type ApiKey, ApiKeyService } from '../../../shared/gen/service/v1/api_key_pb.ts';
import { type User, UserService } from '../../../shared/gen/service/v1/user_pb.ts';
import { type Client, pages } from '../client/client.ts';
import { hasCode } from '../errors.ts';
import { given } from '../flags/flag.ts';
import { type Deletion, idCalled, type Named, type Noun, toDelete } from './names.ts';

const USERS: Noun = { one: 'User', many: 'users', list: 'svc users list' };
const KEYS: Noun = { one: 'API key', many: 'API keys', list: 'svc apikeys list' };
const MOST_PER_PAGE = 1000;

/** The id of a user who is named by the id, the beginning of it, the e-mail address, the user name or the display name. */
export async function resolveUser(client: Client, wanted: string): Promise<string> {
  if (isUuid(wanted)) return wanted.toLowerCase();
  // An address is looked up in one call, however many users there are.
  const byEmail = wanted.includes('@') ? await userWithEmail(client, wanted) : undefined;
  if (byEmail !== undefined) return byEmail.userId;
  const all: Named[] = [];
  for await (const user of allUsers(client)) all.push(namedUser(user));
  return idCalled(all, wanted, USERS);
}

/** Users have no owner: any exact name names the one to delete. */
export function userDeletion(client: Client, wanted: string): Promise<Deletion> {
  return toDelete(client, wanted, {
    noun: USERS,
    isOwned: false,
    candidates: async () => {
      const all: Named[] = [];
      for await (const user of allUsers(client)) all.push(namedUser(user));
      return all;
    },
    get: async (_, userId) => namedUser(await client.call(UserService.method.getUser, { userId })),
  });
}

export function namedUser({ userId: id, email, username, displayName }: User): Named {
  return { id, names: [email, ...(username === undefined ? [] : [username]), displayName] };
}

export function namedKey({ apiKeyId: id, keyPrefix, labels }: ApiKey): Named {
  const { name } = labels;
  const written = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  return { id, names: [keyPrefix, ...(name === undefined ? [] : [name]), ...written] };
}

export function apiKeyDeletion(client: Client, wanted: string): Promise<Deletion> {
  return toDelete(client, wanted, {
    noun: KEYS,
    isOwned: true,
    candidates: async () => (await client.call(ApiKeyService.method.listApiKeys, {})).keys.map(namedKey),
    get: async (_, apiKeyId) => {
      const key = await client.call(ApiKeyService.method.getApiKey, { apiKeyId });
      return { ...namedKey(key), ownerId: key.userId };
    },
  });
}

async function userWithEmail(client: Client, email: string): Promise<User | undefined> {
  try {
    return await client.call(UserService.method.getUser, { email });
  } catch (error) {
    if (hasCode(error, 'NOT_FOUND', 'INVALID_ARGUMENT', 'INVALID_REQUEST')) return undefined;
    throw error;
  }
}

function allUsers(client: Client): AsyncGenerator<User> {
  return pages(async (_wanted, nextToken) => {
    const request = { maxResults: MOST_PER_PAGE, ...given({ nextToken }) };
    const response = await client.call(UserService.method.listUsers, request);
    return { items: response.users, nextToken: response.nextToken };
  }, Number.POSITIVE_INFINITY);
}

/**
 * The id of an API key of the caller that is named by its id, the beginning of it, what its value begins with, a label
 * `name`, or one whole label such as `robot=sync`.
 */
export async function resolveApiKey(client: Client, wanted: string): Promise<string> {
  if (isUuid(wanted)) return wanted.toLowerCase();
  const { keys } = await client.call(ApiKeyService.method.listApiKeys, {});
  const all = keys.map(namedKey);
  return idCalled(all, wanted, KEYS);
}
