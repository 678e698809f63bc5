import { EXIT } from '../../../shared/exit-codes.ts';
import { isUuid } from '../../../shared/fields/formats.ts';
import { UserService } from '../../../shared/gen/service/v1/user_pb.ts';
import type { Client } from '../client/client.ts';
import { CommandError, hasCode, usageError } from '../errors.ts';
import { oneLine } from '../text/printable.ts';
import { didYouMean } from '../text/suggest.ts';

/** Something that can be named on the command line. */
export interface Named {
  readonly id: string;
  /** Whatever else it goes by, the one that people know first. */
  readonly names: readonly string[];
}

/** How a kind of record is spoken of when a name does not lead to one. */
export interface Noun {
  /** `Space`, `API key`. */
  readonly one: string;
  /** `spaces`, `API keys`. */
  readonly many: string;
  /** Where to look: `svc spaces list`. */
  readonly list: string;
}

/** Eight hex digits: with fewer of them the beginning of an id would be taken for one by chance. */
const SHORTEST_PREFIX = 8;
/** More candidates than these do not help. */
const MOST_LISTED = 10;

/** Whether a text can be the beginning of an id: 8 or more of its characters. */
export function isIdPrefix(text: string): boolean {
  const rest = '00000000-0000-0000-0000-000000000000'.slice(text.length);
  return text.length >= SHORTEST_PREFIX && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text + rest);
}

/** Those of this name, letter by letter; else those whose ids begin so. */
function calledExactly<T extends Named>(all: readonly T[], wanted: string): T[] {
  const exact = all.filter(({ names }) => names.includes(wanted));
  if (exact.length > 0 || !isIdPrefix(wanted)) return exact;
  return all.filter(({ id }) => id.toLowerCase().startsWith(wanted.toLowerCase()));
}

/** Those of this name, letter by letter; else whatever the case; else those whose ids begin so. */
export function called<T extends Named>(all: readonly T[], wanted: string): T[] {
  const alike = all.filter(({ names }) => names.some((name) => name.toLowerCase() === wanted.toLowerCase()));
  const exact = alike.filter(({ names }) => names.includes(wanted));
  if (exact.length > 0) return exact;
  return alike.length > 0 ? alike : calledExactly(all, wanted);
}

/** The one of those that were found; undefined when there is none. More of them are an error that lists them. */
export function only<T extends Named>(
  found: readonly T[],
  wanted: string,
  { many }: Pick<Noun, 'many'>,
): T | undefined {
  const [first, second] = found;
  if (second === undefined) return first;
  const listed = found.slice(0, MOST_LISTED).map(({ id, names: [name = ''] }) => `${id} ${oneLine(name)}`.trim());
  const rest = found.length > listed.length ? [`and ${found.length - listed.length} more`] : [];
  const isPrefix = found.every(({ id }) => id.toLowerCase().startsWith(wanted.toLowerCase()));
  const message = isPrefix ? `The ids of several ${many} begin with ${wanted}` : `Several ${many} are named ${wanted}`;
  throw usageError(oneLine(message), {
    details: [...listed, ...rest].join(', '),
    next: 'Give the whole id of one of them',
  });
}

/** That nothing goes by this name, with the names that it may have been meant to be. */
export function nothingCalled(wanted: string, { one, list }: Noun, names: Iterable<string>): CommandError {
  const isTooShort = /^[0-9a-f]{4,7}$/i.test(wanted);
  const details =
    didYouMean(wanted, names) ?? (isTooShort ? 'the beginning of an id must have at least 8 characters' : undefined);
  return new CommandError(`${one} not found: ${oneLine(wanted)}`, {
    code: 'NOT_FOUND',
    exit: EXIT.noInput,
    details: oneLine(details ?? 'nothing has this name or an id that begins with it'),
    next: `See what there is: ${list}`,
  });
}

/** The id of the one of all that goes by this name. Throws where there is none, or more than one. */
export function idCalled(all: readonly Named[], wanted: string, noun: Noun): string {
  const found = only(called(all, wanted), wanted, noun);
  if (found !== undefined) return found.id;
  const names = all.flatMap((one) => one.names);
  throw nothingCalled(wanted, noun, names);
}

/** A record that may have an owner. */
export interface Owned extends Named {
  readonly ownerId?: string;
}

/** What is about to be deleted. */
export interface Deletion {
  readonly id: string;
  /** What it is, for the question whether it should go: name, id, and the owner when that is another user. */
  described(): Promise<string>;
}

interface DeletionSource {
  readonly noun: Noun;
  /** Each of them has an owner. */
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

/** Administrators see everyone's spaces in a list; their own need their id. A key bound to spaces may not ask for it. */
export async function ownUserId(client: Client): Promise<string | undefined> {
  try {
    return (await client.call(UserService.method.getUser, {})).userId;
  } catch (error) {
    if (hasCode(error, 'PERMISSION_DENIED')) return undefined;
    throw error;
  }
}
