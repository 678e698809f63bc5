import type { RetrieveMemoryEvent } from '../../shared/gen/service/v1/memory_pb.ts';
import type { Client } from '../kit/client/client.ts';
import { CommandError, EXIT, usageError } from '../kit/errors.ts';
import { pairOf } from '../kit/flags/kinds.ts';
import { ownSpaceIds, resolveSpace } from '../kit/naming/spaces.ts';
import { resolveTargetOf, type TargetNoun } from '../kit/naming/targets.ts';
import type { EventWriter } from '../kit/output/event-writer.ts';
import type { Io } from '../kit/output/io.ts';
import { type RetrieveViewOptions, retrieveLines } from '../render/retrieve-lines.ts';
import type { RetrieveFlags } from './request.ts';

const MOST_SPACES = 100;

/** Shows a retrieval to people: on a screen that is drawn anew where there is one, else in lines. */
export async function peopleWriter(io: Io, options: RetrieveViewOptions): Promise<EventWriter<RetrieveMemoryEvent>> {
  if (io.events !== 'tui' || io.terminal === undefined) return retrieveLines(io, options);
  const { retrieveScreen } = await import('../render/tui/retrieve-screen.tsx');
  return await retrieveScreen(io, io.terminal, options);
}

/** Whether a summary is shown while it is written, and not handed to a program in one piece. */
export function showsWriting({ events }: Pick<Io, 'events'>): boolean {
  return events === 'tui' || events === 'lines';
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
