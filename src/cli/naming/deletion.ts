import { isUuid } from '../../shared/fields/formats.ts';
import { UserService } from '../../shared/gen/service/v1/user_pb.ts';
import type { Client } from '../client/client.ts';
import { hasCode } from '../client/has-code.ts';
import { ownUserId } from '../client/spaces.ts';
import { CommandError, EXIT } from '../failure.ts';
import { didYouMean } from '../parsing/suggest.ts';
import { oneLine } from '../render/printable.ts';
import { calledExactly, type Named, type Noun, only } from './match.ts';

/** A record that somebody may own. */
export interface Owned extends Named {
  readonly ownerId?: string;
}

/** What is about to be deleted. */
export interface Deletion {
  readonly id: string;
  /** What it is, for the question whether it should go: name, id, and the owner when that is somebody else. */
  described(): Promise<string>;
}

export interface DeletionSource {
  readonly noun: Noun;
  /** Each of them belongs to somebody. */
  readonly isOwned: boolean;
  /** Those that a name or the beginning of an id may mean. */
  candidates(client: Client, wanted: string): Promise<readonly Owned[]>;
  get(client: Client, id: string): Promise<Owned>;
}

/**
 * What a deletion is about. A whole id names any record. A name has to be exact, and like the beginning of an id it stands
 * for a record of the caller's own only: what others own, or what is called alike, must not go in the place of what is gone.
 */
export async function toDelete(client: Client, wanted: string, source: DeletionSource): Promise<Deletion> {
  const { noun, isOwned } = source;
  if (isUuid(wanted)) {
    const id = wanted.toLowerCase();
    return { id, described: async () => described(client, await known(id, () => source.get(client, id))) };
  }
  const all = await source.candidates(client, wanted);
  const own = isOwned ? await ownOf(client, all) : all;
  const found = only(calledExactly(own, wanted), wanted, noun);
  if (found !== undefined) return { id: found.id, described: () => described(client, found) };
  const names = own.flatMap((one) => one.names);
  throw nothingToDelete(wanted, noun, { hint: didYouMean(wanted, names), isOwned });
}

/** That nothing, of the caller's where it is owned, goes exactly by this name. */
export function nothingToDelete(
  wanted: string,
  { one, list }: Noun,
  { hint, isOwned }: { hint: string | undefined; isOwned: boolean },
): CommandError {
  const all = isOwned ? 'nothing of yours' : 'nothing';
  const otherwise = isOwned ? 'Only a whole id deletes what is called otherwise or is not yours. ' : '';
  return new CommandError(`${one} not found: ${oneLine(wanted)}`, {
    code: 'NOT_FOUND',
    exit: EXIT.noInput,
    details: oneLine(hint ?? `${all} has exactly this name or an id that begins with it`),
    next: `${otherwise}See what there is: ${list}`,
  });
}

/** A key that may not read a record may still delete it. */
export async function known(id: string, get: () => Promise<Owned>): Promise<Owned> {
  try {
    return await get();
  } catch (error) {
    if (hasCode(error, 'PERMISSION_DENIED', 'UNIMPLEMENTED')) return { id, names: [] };
    throw error;
  }
}

async function ownOf(client: Client, all: readonly Owned[]): Promise<readonly Owned[]> {
  if (all.every(({ ownerId }) => ownerId === undefined)) return all;
  const me = await ownUserId(client);
  return all.filter(({ ownerId }) => ownerId === undefined || me === undefined || ownerId === me);
}

export async function described(client: Client, { id, names: [name = ''], ownerId }: Owned): Promise<string> {
  const what = name === '' ? id : `${name} (${id})`;
  return oneLine(`${what}${await ofOther(client, ownerId)}`);
}

/** ` of ada@example.org`; "" for what is the caller's own or has no owner. */
async function ofOther(client: Client, ownerId: string | undefined): Promise<string> {
  if (ownerId === undefined || ownerId === '' || ownerId === (await ownUserId(client))) return '';
  const owner = await known(ownerId, async () => {
    const { userId, email, displayName } = await client.call(UserService.method.getUser, { userId: ownerId });
    return { id: userId, names: [email || displayName] };
  });
  return ` of ${owner.names[0] || owner.id}`;
}
