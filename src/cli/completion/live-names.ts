import { ApiKeyService, ApiKeyStatusSchema } from '../../shared/gen/service/v1/api_key_pb.ts';
import { EmbedderService } from '../../shared/gen/service/v1/embedder_pb.ts';
import { LLMService } from '../../shared/gen/service/v1/llm_pb.ts';
import { MemoryService } from '../../shared/gen/service/v1/memory_pb.ts';
import { RerankerService } from '../../shared/gen/service/v1/reranker_pb.ts';
import { SpaceService } from '../../shared/gen/service/v1/space_pb.ts';
import { UserService } from '../../shared/gen/service/v1/user_pb.ts';
import type { Client } from '../client/client.ts';
import { resolveSpace } from '../client/spaces.ts';
import { Settings } from '../config/settings.ts';
import type { Completion } from '../flags/flag.ts';
import { GLOBAL_FLAGS, type GlobalValues } from '../global-flags.ts';
import { decideIo } from '../io.ts';
import { labelsText } from '../render/values.ts';
import { openSession } from '../session.ts';
import type { Candidate } from './candidate.ts';
import type { CompleteOptions } from './complete-options.ts';
import type { Given } from './slot.ts';

/** Someone waits with a finger on the tab key. */
const TIMEOUT_MS = 1500;
const MOST = 100;
/** Memories are looked for in the newest spaces when no space has been typed. */
const MOST_SPACES = 5;

export interface Asked {
  /** What of the name has been typed. */
  readonly partial: string;
  readonly given: Given;
}

/** Names and ids from the config file or the server. None when it does not answer, for whatever reason. */
export async function liveNames(
  kind: Completion,
  asked: Asked,
  options: CompleteOptions,
): Promise<readonly Candidate[]> {
  const sink = { write: async () => {} };
  const host = { ...options.host, stdout: sink, stderr: sink };
  try {
    const globals = globalsOf(asked.given);
    // The key would be read from what is typed next.
    if (globals.apiKeyFile === '-') return [];
    const settings = new Settings(globals, host.env);
    if (kind === 'profiles') return await profileNames(settings);
    const look = LOOKUPS[kind];
    if (look === undefined) return [];
    // The clock is for the server: a slow machine may take its time to load the library.
    await import('../client/grpc-client.ts');
    const signal = AbortSignal.any([options.signal, AbortSignal.timeout(TIMEOUT_MS)]);
    const io = decideIo(host, { output: 'json', plain: true, noColor: true }, signal);
    const session = openSession({ io, settings, debug: false, signal, needsKey: true, leavesNoTrace: true });
    try {
      return await look(await session.client(), asked);
    } finally {
      session.close();
    }
  } catch {
    return [];
  }
}

/** General flags as they have been typed so far, read as the parser would read them. */
function globalsOf({ flags }: Given): GlobalValues {
  const entries = Object.entries(GLOBAL_FLAGS).map(([key, flag]) => [key, flag.read(flags[key] ?? [])] as const);
  return Object.fromEntries(entries) as GlobalValues;
}

async function profileNames(settings: Settings): Promise<Candidate[]> {
  const { profiles } = (await settings.file())?.config ?? { profiles: new Map() };
  return [...profiles].map(([value, { server }]) => ({ value, text: server ?? '' }));
}

type Lookup = (client: Client, asked: Asked) => Promise<readonly Candidate[]>;

const embedders: Lookup = async (client) =>
  (await client.call(EmbedderService.method.listEmbedders, {})).embedders.map(({ embedderId, displayName }) => ({
    value: embedderId,
    text: displayName,
  }));

const llms: Lookup = async (client) =>
  (await client.call(LLMService.method.listLLMs, {})).llms.map(({ llmId, displayName }) => ({
    value: llmId,
    text: displayName,
  }));

const rerankers: Lookup = async (client) =>
  (await client.call(RerankerService.method.listRerankers, {})).rerankers.map(({ rerankerId, displayName }) => ({
    value: rerankerId,
    text: displayName,
  }));

const LOOKUPS: Partial<Record<Completion, Lookup>> = {
  spaces,
  memories,
  embedders,
  llms,
  rerankers,
  targets: async (client, asked) => {
    const kinds = await Promise.allSettled([embedders, llms, rerankers].map((look) => look(client, asked)));
    return kinds.flatMap((kind) => (kind.status === 'fulfilled' ? kind.value : []));
  },
  apikeys: async (client) =>
    (await client.call(ApiKeyService.method.listApiKeys, {})).keys.map(({ apiKeyId, keyPrefix, status, labels }) => ({
      value: apiKeyId,
      text: [keyPrefix, ApiKeyStatusSchema.value[status]?.name ?? '', labelsText(labels)].join(' ').trim(),
    })),
  users: async (client) =>
    (await client.call(UserService.method.listUsers, { maxResults: MOST })).users.map(
      ({ userId, displayName, email }) => ({
        value: userId,
        text: [displayName, email].filter((part) => part !== '').join(' '),
      }),
    ),
};

/** By name, and by id once the beginning of one has been typed. */
async function spaces(client: Client, { partial }: Asked): Promise<readonly Candidate[]> {
  const nameFilter = `${partial.replace(/[*?\\]/g, '\\$&')}*`;
  const list = SpaceService.method.listSpaces;
  const named = await client.call(list, { maxResults: MOST, ...(partial === '' ? {} : { nameFilter }) });
  const names = new Map(named.spaces.map(({ name, spaceId }) => [name, spaceId]));
  const byName = [...names].map(([value, text]) => ({ value, text }));
  if (!/^[0-9a-f-]{2,}$/i.test(partial)) return byName;
  const all = await client.call(list, { maxResults: MOST });
  return [...byName, ...all.spaces.map(({ name, spaceId }) => ({ value: spaceId, text: name }))];
}

async function memories(client: Client, { given: { args, flags } }: Asked): Promise<readonly Candidate[]> {
  const named = args.space ?? flags.space?.at(-1);
  const spaceIds = named === undefined ? await newestSpaces(client) : [await resolveSpace(client, named)];
  const pages = await Promise.allSettled(
    spaceIds.map((spaceId) => client.call(MemoryService.method.listMemories, { spaceId, maxResults: MOST })),
  );
  return pages
    .flatMap((page) => (page.status === 'fulfilled' ? page.value.memories : []))
    .map(({ memoryId, metadata }) => ({ value: memoryId, text: String(metadata?.filename ?? '') }));
}

async function newestSpaces(client: Client): Promise<string[]> {
  const { spaces: found } = await client.call(SpaceService.method.listSpaces, { maxResults: MOST_SPACES });
  return found.map(({ spaceId }) => spaceId);
}
