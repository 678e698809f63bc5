import { ERROR_CODES, ServiceError } from '../../shared/errors.ts';
import { SortOrder } from '../../shared/gen/service/v1/common_pb.ts';
import { type Space, SpaceService, VectorQuantization } from '../../shared/gen/service/v1/space_pb.ts';
import type { FetchPage } from '../kit/client/client.ts';
import { type Command, required, SPACE } from '../kit/command.ts';
import { command, jsonFieldsOf } from '../kit/define-command.ts';
import { CommandError, usageError } from '../kit/errors.ts';
import { CHUNK_FLAGS, chunkingFromFlags } from '../kit/flags/chunking.ts';
import { filling, given } from '../kit/flags/flag.ts';
import { choice, integer, pairs, text, texts, toggle } from '../kit/flags/kinds.ts';
import { confirmDelete, FORCE_FLAG, requireAsker } from '../kit/input/prompt.ts';
import { resolveUser } from '../kit/naming/people.ts';
import { resolveSpace, spaceDeletion } from '../kit/naming/spaces.ts';
import { embedderSelection, resolveSelections } from '../kit/naming/targets.ts';
import { writeRecord } from '../kit/output/records.ts';
import { LABEL_UPDATE_FLAGS, LIMIT_FLAGS, labelChange, limitOf, writePagedList } from '../kit/record-commands.ts';
import { oneLine } from '../kit/text/printable.ts';
import { copy, exportTo, importFrom } from '../transfer/command.ts';
import { spaceView } from './view.ts';

const { createSpace, getSpace, listSpaces, updateSpace, deleteSpace } = SpaceService.method;
const MOST_PER_PAGE = 1000;

/** Minutes, as the service takes them. */
const giveUpAfter = (description: string) =>
  filling(integer('--give-up-after <minutes>', description, { min: 1, max: 1440 }), 'giveUpAfterMinutes');

const QUANTIZATIONS = { none: VectorQuantization.NONE, binary: VectorQuantization.BINARY } as const;

const create = command({
  name: 'create',
  summary: 'Make a space',
  args: { name: required('name', 'Name, unique among your spaces') },
  flags: {
    embedder: {
      ...texts(
        '--embedder <name|id[=weight]>',
        'Embedder to use, with its weight (repeatable; default: the default embedder)',
      ),
      completes: 'embedders',
      fields: ['spaceEmbedders'],
    },
    description: text('--description <text>', 'What the space is for'),
    publicRead: toggle('--public-read', 'Let every user read it'),
    retentionDays: integer('--retention-days <n>', 'Days after which its memories are deleted', { min: 1 }),
    giveUpAfter: giveUpAfter('How long its memories wait for an unavailable provider (default 60)'),
    quantization: filling(
      choice('--quantization <kind>', 'Vector index of signs, for 1,024 dimensions or more', ['none', 'binary']),
      'vectorQuantization',
    ),
    owner: { ...text('--owner <name|id>', 'Owner (default: you)'), completes: 'users' },
    label: pairs('--label <key=value>', 'Label (repeatable)'),
    id: text('--id <uuid>', 'Id to give it (default: a new one)'),
    ...CHUNK_FLAGS,
  },
  examples: [
    'spaces create house',
    'spaces create papers --chunking sentence --chunk-size 800 --label team=research',
    'spaces create mail --embedder 01980000-0000-7000-8000-0000000000c1 --retention-days 365',
  ],
  async run({ io, client }, { args, flags }) {
    const { publicRead, retentionDays, owner, label, id, description } = flags;
    const selections = flags.embedder.map(embedderSelection);
    const server = await client();
    const request = {
      name: args.name,
      spaceEmbedders: await resolveSelections(server, selections),
      ...given({
        description,
        publicRead: publicRead ? true : undefined,
        retentionDays,
        giveUpAfterMinutes: flags.giveUpAfter,
        vectorQuantization: flags.quantization && QUANTIZATIONS[flags.quantization],
        ownerId: owner === undefined ? undefined : await resolveUser(server, owner),
        labels: label,
        spaceId: id,
        defaultChunkingConfig: chunkingFromFlags(flags),
      }),
    };
    try {
      await writeRecord(io, spaceView, await server.call(createSpace, request));
    } catch (error) {
      throw request.spaceEmbedders.length === 0 ? embedderHint(error) : error;
    }
    return undefined;
  },
});

/** The server asks for a field of the request when it has no default embedder; here it is a flag. */
function embedderHint(error: unknown): unknown {
  if (!(error instanceof ServiceError)) return error;
  const isAsked = error.violations?.some(({ path }) => path === 'spaceEmbedders' || path === 'space_embedders');
  if (isAsked !== true) return error;
  return new CommandError('The space needs an embedder', {
    code: error.code,
    exit: ERROR_CODES[error.code].exit,
    details: 'there is no default embedder',
    next: 'Name one with --embedder ID, see svc embedders list; or make one: svc embedders create --help',
    cause: error,
  });
}

const SORT_KEYS = { created: 'created_time', updated: 'updated_time', name: 'name' } as const;

const list = command({
  name: 'list',
  isPaged: true,
  jsonFields: jsonFieldsOf(spaceView),
  summary: 'List spaces, newest first',
  args: {},
  flags: {
    name: filling(text('--name <glob>', 'Only names that match: * any run, ? one character'), 'nameFilter'),
    owner: { ...text('--owner <name|id>', 'Only spaces of this user'), completes: 'users' },
    public: filling(toggle('--public', 'The public spaces of everyone'), 'publicRead'),
    label: pairs('--label <key=value>', 'Only spaces with this label (repeatable)'),
    sort: filling(choice('--sort <key>', 'Sort key', ['created', 'updated', 'name']), 'sortBy'),
    order: filling(choice('--order <order>', 'Sort order (default desc, names asc)', ['asc', 'desc']), 'sortOrder'),
    ...LIMIT_FLAGS,
  },
  examples: ['spaces list', "spaces list --name 'proj*' --sort name", 'spaces list --all -o ndjson'],
  async run({ io, client }, { flags }) {
    const { name, owner, label, sort, order } = flags;
    if (flags.public && owner !== undefined) throw usageError('Give --public or --owner, not both');
    const limit = limitOf(flags);
    const isAscending = (order ?? (sort === 'name' ? 'asc' : 'desc')) === 'asc';
    const server = await client();
    const ownerId = owner === undefined ? undefined : await resolveUser(server, owner);
    const fetch: FetchPage<Space> = async (wanted, nextToken) => {
      const response = await server.call(listSpaces, {
        maxResults: Math.min(wanted, MOST_PER_PAGE),
        sortOrder: isAscending ? SortOrder.ASCENDING : SortOrder.DESCENDING,
        includeStatistics: true,
        ...given({
          nameFilter: name,
          ownerId,
          publicRead: flags.public ? true : undefined,
          label,
          sortBy: sort === undefined ? undefined : SORT_KEYS[sort],
          nextToken,
        }),
      });
      return { items: response.spaces, nextToken: response.nextToken };
    };
    const isFiltered = name !== undefined || owner !== undefined || label !== undefined || flags.public;
    const empty = isFiltered
      ? 'No space matches. All of them: svc spaces list'
      : 'No spaces yet. Make one: svc spaces create NAME';
    await writePagedList(io, spaceView, fetch, { limit, whenEmpty: empty });
    return undefined;
  },
});

const get = command({
  name: 'get',
  isPaged: true,
  jsonFields: jsonFieldsOf(spaceView),
  summary: 'Show a space',
  args: { space: SPACE },
  flags: {},
  examples: ['spaces get house', 'spaces get 01980000-0000-7000-8000-0000000000b1', 'spaces get house -o json'],
  async run({ io, client }, { args }) {
    const server = await client();
    const spaceId = await resolveSpace(server, args.space);
    const space = await server.call(getSpace, { spaceId, includeStatistics: true });
    await writeRecord(io, spaceView, space);
    return undefined;
  },
});

const update = command({
  name: 'update',
  summary: 'Change name, visibility, labels, retention or waiting time of a space',
  args: { space: SPACE },
  flags: {
    name: text('--name <name>', 'New name'),
    publicRead: choice('--public-read <bool>', 'Whether every user may read it', ['true', 'false']),
    ...LABEL_UPDATE_FLAGS,
    retentionDays: integer('--retention-days <n>', 'Days after which new memories are deleted; 0 for never', {
      min: 0,
    }),
    giveUpAfter: giveUpAfter('How long its memories wait for an unavailable provider'),
  },
  examples: [
    'spaces update house --name home',
    'spaces update house --public-read true --merge-labels team=home',
    'spaces update mail --retention-days 0 --give-up-after 1440',
  ],
  async run({ io, client }, { args, flags }) {
    const { name, publicRead, retentionDays } = flags;
    const server = await client();
    const space = await server.call(updateSpace, {
      spaceId: await resolveSpace(server, args.space),
      ...given({
        name,
        publicRead: publicRead === undefined ? undefined : publicRead === 'true',
        retentionDays,
        giveUpAfterMinutes: flags.giveUpAfter,
      }),
      ...labelChange(flags),
    });
    await writeRecord(io, spaceView, space);
    return undefined;
  },
});

const remove = command({
  name: 'delete',
  summary: 'Delete a space with everything in it',
  notes:
    'A name has to be exact, and like the beginning of an id it stands for a space of yours alone; a whole id names any space.',
  args: { space: SPACE },
  flags: { force: FORCE_FLAG },
  examples: ['spaces delete house', 'spaces delete house -f', 'spaces delete 01980000-0000-7000-8000-0000000000b1 -f'],
  async run(context, { args, flags }) {
    const { force } = flags;
    requireAsker(context, `the space ${args.space} with all its memories`, force);
    const server = await context.client();
    const { id: spaceId, described } = await spaceDeletion(server, args.space);
    if (!force) await confirmDelete(context, `the space ${await described()} with all its memories`, force);
    await server.call(deleteSpace, { spaceId });
    await context.io.stderr.write(`Deleted space ${oneLine(spaceId)}\n`);
    return undefined;
  },
});

export const spaces: readonly Command[] = [create, list, get, update, remove, exportTo, importFrom, copy];
