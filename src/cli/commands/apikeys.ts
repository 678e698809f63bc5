import {
  ApiKeyService,
  ApiKeyStatusSchema,
  CreateApiKeyResponseSchema,
} from '../../shared/gen/service/v1/api_key_pb.ts';
import { timestampFromMs } from '../../shared/time.ts';
import { resolveSpace } from '../client/spaces.ts';
import { type Command, command, required } from '../command.ts';
import { confirmDelete, FORCE_FLAG } from '../confirm.ts';
import { enumChoice } from '../flags/enum.ts';
import { pairs, text, texts, toggle } from '../flags/kinds.ts';
import { LABEL_UPDATE_FLAGS, labelChange } from '../flags/labels.ts';
import { given } from '../flags/optional.ts';
import { moment } from '../flags/time.ts';
import { writeList, writeRecord } from '../render/records.ts';
import { apiKeyView } from '../views/api-key.ts';

const { createApiKey, getApiKey, listApiKeys, updateApiKey, deleteApiKey } = ApiKeyService.method;
const KEY = required('id', 'Id of the key');

const create = command({
  name: 'create',
  summary: 'Make an API key and print it, once',
  notes: 'The raw key alone goes to stdout, what belongs to it to stderr. It cannot be shown again.',
  args: {},
  flags: {
    label: pairs('--label <key=value>', 'Label (repeatable)'),
    expires: moment('--expires <time>', 'When it stops working: 2027-01-01, 30d, 12h'),
    user: text('--user <id>', 'Whose key, when it is not yours'),
    id: text('--id <uuid>', 'Id to give it'),
    readOnly: toggle('--read-only', 'Only reading, listing and retrieving'),
    space: texts('--space <name|id>', 'Only this space and its memories (repeatable)'),
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
        userId: user,
        apiKeyId: id,
        restrictions: readOnly || spaceIds.length > 0 ? { readOnly, spaceIds } : undefined,
      }),
    });
    if (io.isData) {
      await writeRecord(io, { desc: CreateApiKeyResponseSchema, columns: [] }, response);
      return undefined;
    }
    await io.stdout.write(`${response.rawApiKey}\n`);
    const keyId = response.apiKeyMetadata?.apiKeyId ?? '';
    await io.stderr.write(`Key ${keyId}. Keep it now: it cannot be shown again.\n`);
    return undefined;
  },
});

const list = command({
  name: 'list',
  summary: 'List API keys, newest first',
  args: {},
  flags: { user: text('--user <id>', 'Whose keys, when they are not yours') },
  examples: [
    'apikeys list',
    'apikeys list --user 01980000-0000-7000-8000-000000000002',
    'apikeys list -o ndjson | jq -r \'select(.status == "INACTIVE").apiKeyId\'',
  ],
  async run({ io, client }, { flags }) {
    const { keys } = await (await client()).call(listApiKeys, given({ userId: flags.user }));
    await writeList(io, apiKeyView, keys, 'No API keys. Make one: svc apikeys create');
    return undefined;
  },
});

const get = command({
  name: 'get',
  summary: 'Show an API key, without its value',
  args: { id: KEY },
  flags: {},
  examples: [
    'apikeys get 01980000-0000-7000-8000-0000000000a1',
    'apikeys get 01980000-0000-7000-8000-0000000000a1 -o json',
    'apikeys get 01980000-0000-7000-8000-0000000000a1 --plain',
  ],
  async run({ io, client }, { args }) {
    await writeRecord(io, apiKeyView, await (await client()).call(getApiKey, { apiKeyId: args.id }));
    return undefined;
  },
});

const update = command({
  name: 'update',
  summary: 'Change status or labels of an API key',
  args: { id: KEY },
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
    const key = await (await client()).call(updateApiKey, {
      apiKeyId: args.id,
      ...given({ status }),
      ...labelChange(flags),
    });
    await writeRecord(io, apiKeyView, key);
    return undefined;
  },
});

const remove = command({
  name: 'delete',
  summary: 'Delete an API key; it stops working at once',
  args: { id: KEY },
  flags: { force: FORCE_FLAG },
  examples: [
    'apikeys delete 01980000-0000-7000-8000-0000000000a1',
    'apikeys delete 01980000-0000-7000-8000-0000000000a1 -f',
    'apikeys delete 01980000-0000-7000-8000-0000000000a1 -f -o json',
  ],
  async run(context, { args, flags }) {
    await confirmDelete(context, `the API key ${args.id}`, flags.force);
    await (await context.client()).call(deleteApiKey, { apiKeyId: args.id });
    await context.io.stderr.write(`Deleted API key ${args.id}\n`);
    return undefined;
  },
});

export const apikeys: readonly Command[] = [create, list, get, update, remove];
