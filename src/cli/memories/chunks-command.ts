import { type Chunk, ChunkSchema, MemoryService } from '../../shared/gen/service/v1/memory_pb.ts';
import type { Client, FetchPage } from '../kit/client/client.ts';
import { optional, type Positional } from '../kit/command.ts';
import { command, jsonFieldsOf } from '../kit/define-command.ts';
import { usageError } from '../kit/errors.ts';
import { given } from '../kit/flags/flag.ts';
import { text, toggle } from '../kit/flags/kinds.ts';
import { resolveMemory } from '../kit/naming/memories.ts';
import { resolveSpace } from '../kit/naming/spaces.ts';
import { idColumn } from '../kit/output/columns.ts';
import type { View } from '../kit/output/records.ts';
import type { Column } from '../kit/output/table.ts';
import { LIMIT_FLAGS, limitOf, writePagedList } from '../kit/record-commands.ts';

const OWN: readonly Column<Chunk>[] = [
  { header: 'NUMBER', value: ({ chunkSequenceNumber }) => String(chunkSequenceNumber), align: 'right', whole: true },
  { header: 'FROM', value: ({ startOffset }) => String(startOffset), align: 'right', whole: true, spare: true },
  { header: 'TO', value: ({ endOffset }) => String(endOffset), align: 'right', whole: true, spare: true },
  { header: 'TEXT', value: ({ chunkText }) => chunkText },
];

const chunkView: View<typeof ChunkSchema> = {
  desc: ChunkSchema,
  columns: [idColumn('MEMORY', ({ memoryId }) => memoryId), ...OWN],
};

/** The chunks of one memory on a screen: an id that is the same in every line would take the room of their text. */
const chunksOfOneView: View<typeof ChunkSchema> = { desc: ChunkSchema, columns: OWN };

const { listChunks } = MemoryService.method;
const MOST_PER_PAGE = 500;

const ID: Positional<string | undefined> = { ...optional('id', 'Id or path of the memory'), completes: 'memories' };

export const chunks = command({
  name: 'chunks',
  isPaged: true,
  jsonFields: jsonFieldsOf(chunkView),
  summary: 'List the chunks of a memory or a space',
  args: { id: ID },
  flags: {
    space: { ...text('--space <name|id>', 'The chunks of all memories of this space'), completes: 'spaces' },
    vectors: toggle('--vectors', 'With their vectors (in the JSON forms)'),
    ...LIMIT_FLAGS,
  },
  examples: [
    'memories chunks 01980000-0000-7000-8000-0000000000f1',
    'memories chunks --space house --all -o ndjson',
    'memories chunks 01980000-0000-7000-8000-0000000000f1 --vectors -o json',
  ],
  async run({ io, client }, { args, flags }) {
    const limit = limitOf(flags);
    if ((args.id === undefined) === (flags.space === undefined)) throw usageError('Give an id or --space');
    const server = await client();
    const scope = await scopeOf(server, args.id, flags.space ?? '');
    const fetch: FetchPage<Chunk> = async (wanted, nextToken) => {
      const response = await server.call(listChunks, {
        scope,
        includeVectors: flags.vectors,
        maxResults: Math.min(wanted, MOST_PER_PAGE),
        ...given({ nextToken }),
      });
      return { items: response.chunks, nextToken: response.nextToken };
    };
    const view = args.id !== undefined && io.records === 'table' ? chunksOfOneView : chunkView;
    await writePagedList(io, view, fetch, { limit, whenEmpty: emptyText(args.id, flags.space) });
    return undefined;
  },
});

function emptyText(memoryId: string | undefined, space: string | undefined): string {
  const why = 'No chunks: nothing has been processed, or there was no text in it.';
  if (memoryId !== undefined) return `${why} How that went: svc memories get ${memoryId} --history`;
  return `${why} What the space holds: svc memories list ${space}`;
}

async function scopeOf(server: Client, memoryId: string | undefined, space: string) {
  if (memoryId !== undefined) return { case: 'memoryId', value: await resolveMemory(server, memoryId) } as const;
  return { case: 'spaceId', value: await resolveSpace(server, space) } as const;
}
