import { MemoryService } from '../../shared/gen/service/v1/memory_pb.ts';
import { timestampFromMs } from '../../shared/time.ts';
import { MEMORY } from '../kit/command.ts';
import { command } from '../kit/define-command.ts';
import { usageError } from '../kit/errors.ts';
import { given } from '../kit/flags/flag.ts';
import { text } from '../kit/flags/kinds.ts';
import { moment } from '../kit/flags/time.ts';
import { jsonObject } from '../kit/input/read-input.ts';
import { resolveMemory } from '../kit/naming/memories.ts';
import { writeRecord } from '../kit/output/records.ts';
import { memoryView } from './view.ts';

const { updateMemory, reprocessMemory } = MemoryService.method;

const time = moment('--expires <time>', 'When it is deleted: 2027-01-01, 30d, 12h, or 0 for never');
/** 0 is not the moment at which the command runs. */
const EXPIRES: typeof time = { ...time, read: (texts) => (texts.at(-1) === '0' ? () => 0 : time.read(texts)) };

export const update = command({
  name: 'update',
  summary: 'Change metadata or expiry of a memory',
  args: { id: MEMORY },
  flags: {
    replaceMetadata: text('--replace-metadata <json>', 'New metadata in place of the old'),
    mergeMetadata: text('--merge-metadata <json>', 'Metadata to add or overwrite; null removes a member'),
    expires: EXPIRES,
  },
  examples: [
    `memories update 01980000-0000-7000-8000-0000000000f1 --merge-metadata '{"room":"attic","tags":null}'`,
    "memories update 01980000-0000-7000-8000-0000000000f1 --replace-metadata '{}'",
    'memories update 01980000-0000-7000-8000-0000000000f1 --expires 90d',
  ],
  async run({ io, client }, { args, flags }) {
    const { replaceMetadata, mergeMetadata, expires } = flags;
    const metadataUpdate = metadataChange(replaceMetadata, mergeMetadata);
    const expiresAt = expires === undefined ? undefined : timestampFromMs(expires(io.now()));
    const server = await client();
    const memoryId = await resolveMemory(server, args.id);
    const request = { memoryId, ...given({ metadataUpdate, expiresAt }) };
    await writeRecord(io, memoryView, await server.call(updateMemory, request));
    return undefined;
  },
});

function metadataChange(replacement: string | undefined, changes: string | undefined) {
  if (replacement !== undefined && changes !== undefined) {
    throw usageError('Give --replace-metadata or --merge-metadata, not both');
  }
  if (replacement !== undefined) {
    const value = jsonObject(replacement, '--replace-metadata');
    return { case: 'replaceMetadata', value } as const;
  }
  if (changes === undefined) return undefined;
  return { case: 'mergeMetadata', value: jsonObject(changes, '--merge-metadata') } as const;
}

export const reprocess = command({
  name: 'reprocess',
  summary: 'Process a memory again from its stored content',
  notes: 'Until that is done, retrieval does not find it.',
  args: { id: MEMORY },
  flags: {},
  examples: [
    'memories reprocess 01980000-0000-7000-8000-0000000000f1',
    'memories reprocess 01980000-0000-7000-8000-0000000000f1 -o json',
    'memories list house --status FAILED -o ndjson | jq -r .memoryId | xargs -n 1 svc memories reprocess',
  ],
  async run({ io, client }, { args }) {
    const server = await client();
    const memoryId = await resolveMemory(server, args.id);
    await writeRecord(io, memoryView, await server.call(reprocessMemory, { memoryId }));
    return undefined;
  },
});
