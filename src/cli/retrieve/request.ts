import type { JsonObject, MessageInitShape } from '@bufbuild/protobuf';
import { contentTypeOfName, isPlainText } from '../../shared/content-types.ts';
import { EXIT } from '../../shared/exit-codes.ts';
import type { RetrieveMemoryRequestSchema } from '../../shared/gen/service/v1/memory_pb.ts';
import { type ContextItemSchema, IterativeScan, SearchMode } from '../../shared/gen/service/v1/retrieve_pb.ts';
import type { TargetNoun } from '../../shared/target-kinds.ts';
import type { Client } from '../kit/client/client.ts';
import { CommandError, usageError } from '../kit/errors.ts';
import { type FlagValues, given } from '../kit/flags/flag.ts';
import { pairOf, parseDecimal } from '../kit/flags/kinds.ts';
import { type InputIo, readInput, readJsonObject } from '../kit/input/read-input.ts';
import { ownSpaceIds, resolveSpace } from '../kit/naming/spaces.ts';
import { resolveTargetOf } from '../kit/naming/targets.ts';
import { chatSettings, type RETRIEVE_FLAGS } from './flags.ts';

export type RetrieveFlags = FlagValues<typeof RETRIEVE_FLAGS>;
export type RetrieveRequest = MessageInitShape<typeof RetrieveMemoryRequestSchema>;

const SEARCH_MODES = { vector: SearchMode.VECTOR, hybrid: SearchMode.HYBRID, text: SearchMode.TEXT } as const;
const SCANS = {
  off: IterativeScan.OFF,
  relaxed: IterativeScan.RELAXED_ORDER,
  strict: IterativeScan.STRICT_ORDER,
} as const;

/** The request that the flags describe, with what `@FILE` names. */
export async function retrieveRequest(
  io: InputIo,
  message: string,
  spaceIds: readonly string[],
  flags: RetrieveFlags,
): Promise<RetrieveRequest> {
  const { filter, search, neighbors, explain, content, noMemory } = flags;
  if (content && noMemory) throw usageError('Give --content or --no-memory, not both');
  const config = await postConfig(io, flags);
  const hnsw = hnswOf(flags);
  const embedderWeights = flags.embedderWeight.map((entry) => {
    const [embedderId, weight] = pairOf(entry, '--embedder-weight', 'name=weight');
    return { embedderId, weight: parseDecimal(weight, 'The weight of --embedder-weight') };
  });
  return {
    message,
    spaceKeys: spaceIds.map((spaceId) => ({ spaceId, embedderWeights, ...given({ filter }) })),
    context: await Promise.all(flags.context.map((entry) => contextItem(io, entry))),
    requestedSize: requestedSize(flags, config !== undefined),
    fetchMemory: !noMemory,
    fetchMemoryContent: content,
    neighbors: neighbors ?? 0,
    explain,
    ...given({
      hnsw,
      search: search === undefined ? undefined : { mode: SEARCH_MODES[search] },
      postProcessor: config === undefined ? undefined : { ...given({ name: flags.postProcessor }), config },
    }),
  };
}

/** Without a post processor the number of results is the number of candidates: two flags for it are a contradiction. */
function requestedSize({ maxResults, candidates }: RetrieveFlags, hasPostProcessor: boolean): number {
  if (hasPostProcessor) return candidates ?? 0;
  if (maxResults !== undefined && candidates !== undefined) {
    throw usageError('Without a post processor --max-results and --candidates mean the same: give one of them');
  }
  return candidates ?? maxResults ?? 0;
}

function hnswOf({ efSearch, iterativeScan, maxScanTuples, scanMemMultiplier }: RetrieveFlags): RetrieveRequest['hnsw'] {
  const scan = iterativeScan === undefined ? undefined : SCANS[iterativeScan];
  const options = given({ efSearch, iterativeScan: scan, maxScanTuples, scanMemMultiplier });
  return Object.keys(options).length === 0 ? undefined : options;
}

/** The configuration of the post processor; undefined when no flag asks for one. */
async function postConfig(io: InputIo, flags: RetrieveFlags): Promise<JsonObject | undefined> {
  if (!asksForPostProcessor(flags)) return undefined;
  const { postProcessorConfig: text } = flags;
  const base = text === undefined ? {} : await readJsonObject(io, text, '--post-processor-config');
  return { ...base, ...chatSettings(flags) };
}

/** `--max-results` alone does not. */
function asksForPostProcessor(flags: RetrieveFlags): boolean {
  const { postProcessor, postProcessorConfig } = flags;
  return [postProcessor, postProcessorConfig, ...Object.values(chatSettings({ ...flags, maxResults: undefined }))].some(
    (value) => value !== undefined,
  );
}

/** A turn of a conversation: the text itself, or with `@` the file that holds it (`@-` for stdin). Files that are no text go as bytes. */
async function contextItem(io: InputIo, entry: string): Promise<MessageInitShape<typeof ContextItemSchema>> {
  if (!entry.startsWith('@')) return { item: { case: 'text', value: entry } };
  const data = await readInput(io, entry.slice(1));
  if (isPlainText(data)) return { item: { case: 'text', value: data.toString('utf8') } };
  const contentType = contentTypeOfName(entry) ?? 'application/octet-stream';
  return { item: { case: 'binary', value: { contentType, data } } };
}

/** The spaces to search: those that were named, else all of the caller's. */
export async function searchedSpaces(client: Client, names: readonly string[]): Promise<string[]> {
  return names.length === 0 ? await allOwnSpaces(client) : await resolveAll(client, names);
}

/** Models by their ids, however they were named. */
export async function withTargetIds(client: Client, flags: RetrieveFlags): Promise<RetrieveFlags> {
  const idOf = async (noun: TargetNoun, name: string | undefined): Promise<string | undefined> =>
    name === undefined ? undefined : await resolveTargetOf(noun, client, name);
  const embedderWeight: string[] = [];
  for (const entry of flags.embedderWeight) {
    const [name, weight] = pairOf(entry, '--embedder-weight', 'name=weight');
    embedderWeight.push(`${await idOf('embedders', name)}=${weight}`);
  }
  const reranker = await idOf('rerankers', flags.reranker);
  return { ...flags, embedderWeight, reranker, llm: await idOf('llms', flags.llm) };
}

async function resolveAll(client: Client, names: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const name of names) ids.push(await resolveSpace(client, name));
  return [...new Set(ids)];
}

const MOST_SPACES = 100;

async function allOwnSpaces(client: Client): Promise<string[]> {
  const ids = await ownSpaceIds(client, MOST_SPACES);
  if (ids.length > MOST_SPACES) {
    throw usageError(`You have more than ${MOST_SPACES} spaces`, { next: 'Name the ones to search with --space' });
  }
  if (ids.length > 0) return ids;
  throw new CommandError('You have no spaces to search', {
    code: 'NOT_FOUND',
    exit: EXIT.noInput,
    next: 'Make one: svc spaces create NAME, or name a public one with --space',
  });
}
