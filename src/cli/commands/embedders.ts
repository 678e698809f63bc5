import { ProviderTypeSchema } from '../../shared/gen/service/v1/common_pb.ts';
import { EmbedderService } from '../../shared/gen/service/v1/embedder_pb.ts';
import { type Command, command, required } from '../command.ts';
import { confirmDelete, FORCE_FLAG } from '../confirm.ts';
import { usageError } from '../failure.ts';
import { credentialsOf, SECRET_FLAGS } from '../flags/credentials.ts';
import { enumChoice } from '../flags/enum.ts';
import { integer, pairs, text } from '../flags/kinds.ts';
import { LABEL_UPDATE_FLAGS, labelChange } from '../flags/labels.ts';
import { given } from '../flags/optional.ts';
import { writeList, writeRecord } from '../render/records.ts';
import { embedderView } from '../views/embedder.ts';

const { createEmbedder, getEmbedder, listEmbedders, updateEmbedder, deleteEmbedder } = EmbedderService.method;
const EMBEDDER = required('id', 'Id of the embedder');
const ENDPOINT_FLAGS = {
  name: text('--name <name>', 'Display name'),
  url: text('--url <url>', 'Endpoint, as in https://models.example.org/v1'),
  apiPath: text('--api-path <path>', 'Appended to the URL; each provider has its default'),
  model: text('--model <id>', 'Model identifier'),
  dimensions: integer('--dimensions <n>', 'Length of its vectors', { min: 1, max: 16_000 }),
  ...SECRET_FLAGS,
};

const create = command({
  name: 'create',
  summary: 'Register an embedder',
  notes: 'The endpoint is not called; svc ping does that.',
  args: {},
  flags: {
    provider: enumChoice('--provider <type>', 'Who runs it', ProviderTypeSchema),
    ...ENDPOINT_FLAGS,
    label: pairs('--label <key=value>', 'Label (repeatable); default=true marks the default embedder'),
    owner: text('--owner <id>', 'Owner, when it is not you'),
    id: text('--id <uuid>', 'Id to give it'),
  },
  examples: [
    'embedders create --provider BUILTIN --name Lexical --model lexical-v1 --label default=true',
    'embedders create --provider TEI --name Small --url http://tei.lan:8080 --model bge-small --dimensions 384',
    'embedders create --provider OPENAI --name Large --url https://api.openai.com/v1 --model text-embedding-3-large --dimensions 3072 --secret -',
  ],
  async run({ io, client }, { flags }) {
    const { provider, name, model } = flags;
    if (provider === undefined) throw usageError('--provider is required');
    if (name === undefined) throw usageError('--name is required');
    if (model === undefined) throw usageError('--model is required');
    const credentials = await credentialsOf(io, flags);
    const embedder = await (await client()).call(createEmbedder, {
      displayName: name,
      providerType: provider,
      modelIdentifier: model,
      ...given({
        endpointUrl: flags.url,
        apiPath: flags.apiPath,
        dimensionality: flags.dimensions,
        credentials,
        labels: flags.label,
        ownerId: flags.owner,
        embedderId: flags.id,
      }),
    });
    await writeRecord(io, embedderView, embedder);
    return undefined;
  },
});

const list = command({
  name: 'list',
  summary: 'List embedders, yours and the shared ones',
  args: {},
  flags: {
    provider: enumChoice('--provider <type>', 'Only of this provider', ProviderTypeSchema),
    owner: text('--owner <id>', 'Only of this user'),
    label: pairs('--label <key=value>', 'Only with this label (repeatable)'),
  },
  examples: ['embedders list', 'embedders list --label default=true', 'embedders list --provider TEI -o json'],
  async run({ io, client }, { flags }) {
    const { provider, owner, label } = flags;
    const { embedders: found } = await (await client()).call(
      listEmbedders,
      given({ providerType: provider, ownerId: owner, label }),
    );
    await writeList(io, embedderView, found, 'No embedders. Make one: svc embedders create --help');
    return undefined;
  },
});

const get = command({
  name: 'get',
  summary: 'Show an embedder',
  args: { id: EMBEDDER },
  flags: {},
  examples: [
    'embedders get 01980000-0000-7000-8000-0000000000c1',
    'embedders get 01980000-0000-7000-8000-0000000000c1 -o json',
    'embedders get 01980000-0000-7000-8000-0000000000c1 --plain',
  ],
  async run({ io, client }, { args }) {
    await writeRecord(io, embedderView, await (await client()).call(getEmbedder, { embedderId: args.id }));
    return undefined;
  },
});

const update = command({
  name: 'update',
  summary: 'Change an embedder',
  args: { id: EMBEDDER },
  flags: { ...ENDPOINT_FLAGS, ...LABEL_UPDATE_FLAGS },
  examples: [
    'embedders update 01980000-0000-7000-8000-0000000000c1 --name "Small text"',
    'embedders update 01980000-0000-7000-8000-0000000000c1 --secret-file key.txt',
    'embedders update 01980000-0000-7000-8000-0000000000c1 --merge-labels default=true',
  ],
  async run({ io, client }, { args, flags }) {
    const credentials = await credentialsOf(io, flags);
    const embedder = await (await client()).call(updateEmbedder, {
      embedderId: args.id,
      ...given({
        displayName: flags.name,
        endpointUrl: flags.url,
        apiPath: flags.apiPath,
        modelIdentifier: flags.model,
        dimensionality: flags.dimensions,
        credentials,
      }),
      ...labelChange(flags),
    });
    await writeRecord(io, embedderView, embedder);
    return undefined;
  },
});

const remove = command({
  name: 'delete',
  summary: 'Delete an embedder that no space uses',
  args: { id: EMBEDDER },
  flags: { force: FORCE_FLAG },
  examples: [
    'embedders delete 01980000-0000-7000-8000-0000000000c1',
    'embedders delete 01980000-0000-7000-8000-0000000000c1 -f',
    'embedders delete 01980000-0000-7000-8000-0000000000c1 -f -o json',
  ],
  async run(context, { args, flags }) {
    await confirmDelete(context, `the embedder ${args.id}`, flags.force);
    await (await context.client()).call(deleteEmbedder, { embedderId: args.id });
    await context.io.stderr.write(`Deleted embedder ${args.id}\n`);
    return undefined;
  },
});

export const embedders: readonly Command[] = [create, list, get, update, remove];
