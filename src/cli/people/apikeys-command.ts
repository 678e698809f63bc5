import {
  type ApiKey,
  ApiKeySchema,
  ApiKeyService,
  ApiKeyStatusSchema,
  type CreateApiKeyResponse,
  CreateApiKeyResponseSchema,
} from '../../shared/gen/service/v1/api_key_pb.ts';
import { SpaceService } from '../../shared/gen/service/v1/space_pb.ts';
import { timestampFromMs } from '../../shared/time.ts';
import type { Client } from '../kit/client/client.ts';
import type { Command } from '../kit/command.ts';
import { command, jsonFieldsOf } from '../kit/define-command.ts';
import { enumChoice } from '../kit/flags/enum.ts';
import { given } from '../kit/flags/flag.ts';
import { pairs, text, texts, toggle } from '../kit/flags/kinds.ts';
import { moment } from '../kit/flags/time.ts';
import { apiKeyDeletion, resolveApiKey, resolveUser } from '../kit/naming/people.ts';
import { resolveSpace } from '../kit/naming/spaces.ts';
import { enumText, idColumn, labelsText, timeColumn, timeText } from '../kit/output/columns.ts';
import type { Io } from '../kit/output/io.ts';
import { type View, writeList, writeRecord } from '../kit/output/records.ts';
import {
  deleteCommand,
  getCommand,
  idArgument,
  LABEL_UPDATE_FLAGS,
  labelChange,
  type RecordNoun,
} from '../kit/record-commands.ts';
import { oneLine } from '../kit/text/printable.ts';

interface ApiKeyViewOptions {
  /** Names of spaces by their ids, as far as they are known. */
  names?: ReadonlyMap<string, string>;
  /** The beginnings of the ids lead to these keys: they are the caller's own. */
  hasShortIds?: boolean;
}

function apiKeyView({ names = new Map(), hasShortIds = true }: ApiKeyViewOptions = {}): View<typeof ApiKeySchema> {
  return {
    desc: ApiKeySchema,
    columns: [
      { ...idColumn<ApiKey>('ID', ({ apiKeyId }) => apiKeyId), isId: hasShortIds },
      { header: 'PREFIX', value: ({ keyPrefix }) => keyPrefix, whole: true, isTitle: true },
      { header: 'STATUS', value: ({ status }) => enumText(ApiKeyStatusSchema, status), whole: true },
      { header: 'LABELS', value: ({ labels }) => labelsText(labels), spare: true },
      { ...timeColumn<ApiKey>('LAST USED', ({ lastUsedAt }) => lastUsedAt), spare: true },
      timeColumn('EXPIRES', ({ expiresAt }) => expiresAt),
      { header: 'ACCESS', value: (key) => accessText(key, names) },
    ],
    fields: [
      { header: 'id', value: ({ apiKeyId }) => apiKeyId },
      { header: 'prefix', value: ({ keyPrefix }) => keyPrefix },
      { header: 'status', value: ({ status }) => enumText(ApiKeyStatusSchema, status) },
      { header: 'user', value: ({ userId }) => userId },
      { header: 'labels', value: ({ labels }) => labelsText(labels) },
      { header: 'access', value: ({ restrictions }) => (restrictions?.readOnly ? 'read-only' : 'full') },
      { header: 'spaces', value: ({ restrictions }) => restrictions?.spaceIds.join(', ') ?? '' },
      timeColumn('expires', ({ expiresAt }) => expiresAt),
      timeColumn('last used', ({ lastUsedAt }) => lastUsedAt),
      timeColumn('created', ({ createdAt }) => createdAt),
      timeColumn('updated', ({ updatedAt }) => updatedAt),
    ],
  };
}

/** `full`, `read-only`, or in which spaces: `house, garden`, `read-only in house`. */
function accessText({ restrictions }: ApiKey, names: ReadonlyMap<string, string>): string {
  const { readOnly = false, spaceIds = [] } = restrictions ?? {};
  const spaces = spaceIds.map((id) => names.get(id) ?? id).join(', ');
  if (spaces === '') return readOnly ? 'read-only' : 'full';
  return readOnly ? `read-only in ${spaces}` : spaces;
}

const { createApiKey, getApiKey, listApiKeys, updateApiKey, deleteApiKey } = ApiKeyService.method;
/** As the service bounds a page. */
const MOST_SPACES = 1000;
const KEY: RecordNoun = {
  noun: 'apikeys',
  name: 'API key',
  one: 'an API key',
  exampleId: '01980000-0000-7000-8000-0000000000a1',
  goesBy: 'Prefix, label',
  resolve: resolveApiKey,
  deletion: apiKeyDeletion,
};

const create = command({
  name: 'create',
  summary: 'Make an API key and print it, once',
  notes: 'Only the raw key goes to stdout; its id and expiry go to stderr. The key cannot be shown again.',
  args: {},
  flags: {
    label: pairs('--label <key=value>', 'Label (repeatable)'),
    expires: moment('--expires <time>', 'When it stops working: 2027-01-01, 30d, 12h'),
    user: { ...text('--user <name|id>', 'User of the key (default: you)'), completes: 'users' },
    id: text('--id <uuid>', 'Id to give it (default: a new one)'),
    readOnly: toggle('--read-only', 'Only reading, listing and retrieving'),
    space: { ...texts('--space <name|id>', 'Only this space and its memories (repeatable)'), completes: 'spaces' },
  },
  examples: [
    'apikeys create --label purpose=ci --expires 90d',
    'apikeys create --read-only --space house',
    'apikeys create -o json',
  ],
  async run({ io, client }, { flags }) {
    const { label, expires, user, id, readOnly } = flags;
    const server = await client();
    const spaceIds: string[] = [];
    for (const space of flags.space) spaceIds.push(await resolveSpace(server, space));
    const response = await server.call(createApiKey, {
      ...given({
        labels: label,
        expiresAt: expires === undefined ? undefined : timestampFromMs(expires(io.now())),
        userId: user === undefined ? undefined : await resolveUser(server, user),
        apiKeyId: id,
        restrictions: readOnly || spaceIds.length > 0 ? { readOnly, spaceIds } : undefined,
      }),
    });
    const made = oneLine(response.apiKeyMetadata?.apiKeyId ?? '');
    try {
      await writeKey(io, response);
    } catch (error) {
      await io.stderr.write(`Key ${made} was made, but could not be written. Delete it: svc apikeys delete ${made}\n`);
      throw error;
    }
    if (!io.isData) await io.stderr.write(adviceOn(response.apiKeyMetadata));
    return undefined;
  },
});

async function writeKey(io: Io, response: CreateApiKeyResponse): Promise<void> {
  if (io.isData) await writeRecord(io, { desc: CreateApiKeyResponseSchema, columns: [] }, response);
  else await io.stdout.write(`${oneLine(response.rawApiKey)}\n`);
}

/** What to keep of a new key, and what is known about it. */
function adviceOn(key: ApiKey | undefined): string {
  const expires = timeText(key?.expiresAt);
  const until = expires === '' ? 'It does not expire.' : `It expires ${expires}.`;
  return `Key ${oneLine(key?.apiKeyId ?? '')}. ${until}\nKeep it now: it cannot be shown again.\n`;
}

const list = command({
  name: 'list',
  isPaged: true,
  jsonFields: jsonFieldsOf(apiKeyView()),
  summary: 'List API keys, newest first',
  args: {},
  flags: { user: { ...text('--user <name|id>', 'User whose keys to list (default: you)'), completes: 'users' } },
  examples: [
    'apikeys list',
    'apikeys list --user 01980000-0000-7000-8000-000000000002',
    'apikeys list -o ndjson | jq -r \'select(.status == "INACTIVE").apiKeyId\'',
  ],
  async run({ io, client }, { flags }) {
    const { user } = flags;
    const server = await client();
    const userId = user === undefined ? undefined : await resolveUser(server, user);
    const { keys } = await server.call(listApiKeys, given({ userId }));
    const whose = user === undefined ? '' : ` --user ${user}`;
    const names = io.isData ? new Map<string, string>() : await spaceNames(server, keys);
    const view = apiKeyView({ names, hasShortIds: user === undefined });
    await writeList(io, view, keys, `No API keys. Make one: svc apikeys create${whose}`);
    return undefined;
  },
});

/** The names of the spaces that keys are bound to, as far as the first page of a list tells them. */
async function spaceNames(client: Client, keys: readonly ApiKey[]): Promise<Map<string, string>> {
  if (keys.every(({ restrictions }) => (restrictions?.spaceIds ?? []).length === 0)) return new Map();
  const { spaces } = await client.call(SpaceService.method.listSpaces, { maxResults: MOST_SPACES });
  return new Map(spaces.map(({ spaceId, name }) => [spaceId, name]));
}

const get = getCommand(KEY, {
  summary: 'Show an API key, without its value',
  view: apiKeyView(),
  get: (client, id) => client.call(getApiKey, { apiKeyId: id }),
});

const update = command({
  name: 'update',
  summary: 'Change status or labels of an API key',
  args: { id: idArgument(KEY) },
  flags: {
    status: enumChoice('--status <status>', 'An INACTIVE key stops working at once', ApiKeyStatusSchema),
    ...LABEL_UPDATE_FLAGS,
  },
  examples: [
    'apikeys update 01980000-0000-7000-8000-0000000000a1 --status INACTIVE',
    'apikeys update 01980000-0000-7000-8000-0000000000a1 --merge-labels purpose=ci',
    'apikeys update 01980000-0000-7000-8000-0000000000a1 --replace-labels team=home',
  ],
  async run({ io, client }, { args, flags }) {
    const { status } = flags;
    const server = await client();
    const key = await server.call(updateApiKey, {
      apiKeyId: await resolveApiKey(server, args.id),
      ...given({ status }),
      ...labelChange(flags),
    });
    await writeRecord(io, apiKeyView(), key);
    return undefined;
  },
});

const remove = deleteCommand(KEY, {
  summary: 'Delete an API key; it stops working at once',
  example: `apikeys list -o ndjson | jq -r 'select(.status == "INACTIVE").apiKeyId' | xargs -n 1 svc apikeys delete -f`,
  delete: (client, id) => client.call(deleteApiKey, { apiKeyId: id }),
});

export const apikeys: readonly Command[] = [create, list, get, update, remove];
