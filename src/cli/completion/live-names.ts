import { withTimeout } from '../../shared/async/deadline.ts';
import { ApiKeyService } from '../../shared/gen/service/v1/api_key_pb.ts';
import { MemoryService } from '../../shared/gen/service/v1/memory_pb.ts';
import { SpaceService } from '../../shared/gen/service/v1/space_pb.ts';
import { UserService } from '../../shared/gen/service/v1/user_pb.ts';
import { TARGET_NOUNS, type TargetNoun } from '../../shared/target-kinds.ts';
import type { Client } from '../kit/client/client.ts';
import { openSession } from '../kit/client/session.ts';
import type { CommandEntry } from '../kit/command.ts';
import { ClientSettings } from '../kit/config/settings.ts';
import type { Completion } from '../kit/flags/flag.ts';
import { GLOBAL_FLAGS, type GlobalValues } from '../kit/flags/global-flags.ts';
import { namedMemory } from '../kit/naming/memories.ts';
import { called, type Named } from '../kit/naming/names.ts';
import { namedKey, namedUser } from '../kit/naming/people.ts';
import { resolveSpace } from '../kit/naming/spaces.ts';
import { listTargets } from '../kit/naming/targets.ts';
import { decideIo, type Host } from '../kit/output/io.ts';
import { oneLine } from '../kit/text/printable.ts';
import type { TypedWords } from './slot.ts';

/** One way to go on. */
export interface CompletionCandidate {
  /** As it is typed, without quotes. */
  readonly value: string;
  /** One line; "" when there is nothing to say. */
  readonly text: string;
}

/** The shell knows its files best. */
export const FILES = ':files';

/**
 * Whether a value can be typed for what it is: one with a control character cannot, one that could be a flag, or the sign
 * for files, would be taken for that.
 */
export function isTypeable(value: string): boolean {
  return value !== '' && value === oneLine(value) && !value.startsWith('-') && value !== FILES;
}

export interface CompleteOptions {
  host: Host;
  signal: AbortSignal;
  entries: readonly CommandEntry[];
}

/** The user waits for the completion. */
const TIMEOUT_MS = 1500;
const MOST = 100;
/** What one call gives. */
const MOST_USERS = 1000;
/** Memories are looked for in the newest spaces when no space has been typed. */
const MOST_SPACES = 5;

interface Asked {
  /** What of the name has been typed. */
  readonly partial: string;
  readonly given: TypedWords;
}

/** Names, and ids of what has no name, from the config file or the server. None when it does not answer, for whatever reason. */
export async function liveNames(
  kind: Completion,
  asked: Asked,
  options: CompleteOptions,
): Promise<readonly CompletionCandidate[]> {
  const sink = { write: async () => {} };
  const host = { ...options.host, stdout: sink, stderr: sink };
  try {
    const globals = globalsOf(asked.given);
    // The key would be read from what is typed next.
    if (globals.apiKeyFile === '-') return [];
    const settings = new ClientSettings(globals, host.env);
    if (kind === 'profiles') return await profileNames(settings);
    const look = LOOKUPS[kind];
    if (look === undefined) return [];
    // The timeout is for the server: loading the library on a slow machine does not count.
    await import('../kit/client/grpc-client.ts');
    const signal = withTimeout(options.signal, TIMEOUT_MS);
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
function globalsOf({ flags }: TypedWords): GlobalValues {
  const entries = Object.entries(GLOBAL_FLAGS).map(([key, flag]) => [key, flag.read(flags[key] ?? [])] as const);
  return Object.fromEntries(entries) as GlobalValues;
}

async function profileNames(settings: ClientSettings): Promise<CompletionCandidate[]> {
  const { profiles } = (await settings.file())?.config ?? { profiles: new Map() };
  return [...profiles].map(([value, { server }]) => ({ value, text: server ?? '' }));
}

type Lookup = (client: Client, asked: Asked) => Promise<readonly CompletionCandidate[]>;

const LOOKUPS: Partial<Record<Completion, Lookup>> = {
  spaces,
  memories,
  ...Object.fromEntries(
    TARGET_NOUNS.map((noun): [TargetNoun, Lookup] => [
      noun,
      async (client, { partial }) => byName(await listTargets(client, noun), partial),
    ]),
  ),
  targets: async (client, { partial }) => {
    const kinds = await Promise.allSettled(TARGET_NOUNS.map((noun) => listTargets(client, noun)));
    return byName(answered(kinds).flat(), partial);
  },
  apikeys: async (client, { partial }) =>
    byName((await client.call(ApiKeyService.method.listApiKeys, {})).keys.map(namedKey), partial),
  users: async (client, { partial }) =>
    byName((await client.call(UserService.method.listUsers, { maxResults: MOST_USERS })).users.map(namedUser), partial),
};

/** By the name that people know first, if only one record goes by it and it can be typed, else by id. */
function byName(all: readonly Named[], partial: string): readonly CompletionCandidate[] {
  const named = all.map((one) => {
    const value = one.names.find((name) => isTypeable(name) && called(all, name).length === 1) ?? one.id;
    const about = one.names.filter((name) => name !== value && name !== '');
    return { value, text: about.join(' ') || (value === one.id ? '' : one.id) };
  });
  if (!isIdBegun(partial)) return named;
  const offered = new Set(named.map(({ value }) => value));
  const others = all.filter(({ id }) => !offered.has(id));
  return [...named, ...others.map(({ id, names: [name = ''] }) => ({ value: id, text: name }))];
}

/** Ids are offered besides names once the beginning of one may have been typed. */
function isIdBegun(partial: string): boolean {
  return /^[0-9a-f-]{2,}$/i.test(partial);
}

function answered<T>(settled: readonly PromiseSettledResult<T>[]): T[] {
  return settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
}

/** By name, and by id once the beginning of one has been typed. */
async function spaces(client: Client, { partial }: Asked): Promise<readonly CompletionCandidate[]> {
  const nameFilter = `${partial.replace(/[*?\\]/g, '\\$&')}*`;
  const list = SpaceService.method.listSpaces;
  const named = await client.call(list, { maxResults: MOST, ...(partial === '' ? {} : { nameFilter }) });
  const names = new Map(named.spaces.map(({ name, spaceId }) => [name, spaceId]));
  const found = [...names].map(([value, text]) => ({ value, text }));
  if (!isIdBegun(partial)) return found;
  const all = await client.call(list, { maxResults: MOST });
  return [...found, ...all.spaces.map(({ name, spaceId }) => ({ value: spaceId, text: name }))];
}

async function memories(
  client: Client,
  { partial, given: { args, flags } }: Asked,
): Promise<readonly CompletionCandidate[]> {
  const space = args.space ?? flags.space?.at(-1);
  const spaceIds = space === undefined ? await newestSpaces(client) : [await resolveSpace(client, space)];
  const lists = await Promise.allSettled(
    spaceIds.map((spaceId) => client.call(MemoryService.method.listMemories, { spaceId, maxResults: MOST })),
  );
  return byName(
    answered(lists).flatMap((list) => list.memories.map(namedMemory)),
    partial,
  );
}

async function newestSpaces(client: Client): Promise<string[]> {
  const { spaces: found } = await client.call(SpaceService.method.listSpaces, { maxResults: MOST_SPACES });
  return found.map(({ spaceId }) => spaceId);
}
