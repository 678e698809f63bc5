import type { CallContext, Guard } from '../../context.ts';
import type { Db } from '../../store/db.ts';
import { type SearchedSpace, selectSpacesToSearch } from '../../store/embedders.ts';
import { guardOfSpace, type SelectGuard } from '../../store/guards.ts';
import { Learned } from '../learned.ts';
import { guarded } from '../permission.ts';

export type LearnedSpaces = Learned<SearchedSpace>;

/**
 * What a server remembers of spaces and their embedders, in characters of JSON: some thousand spaces. They are weighed, since
 * a user can give a space eight embedders with tens of kilobytes of credentials and labels each.
 */
const MAX_LEARNED_CHARACTERS = 8 * 2 ** 20;

export function learnedSpaces(): LearnedSpaces {
  return new Learned(MAX_LEARNED_CHARACTERS, (space) => JSON.stringify(space).length);
}

/**
 * What one attempt of a retrieval builds on: its key and its spaces with their embedders, learned by an earlier call or read
 * just now. Every search takes the guard of its space along, and what no search has proved is asked at the end.
 */
export class Premises {
  readonly #db: Db;
  readonly #learned: LearnedSpaces;
  readonly #context: CallContext;
  readonly #spaces = new Map<string, SearchedSpace>();
  #isTrusted = false;
  /** Ids of learned spaces of which nothing has proved yet that they are still so. */
  readonly #unproved = new Set<string>();

  constructor(db: Db, learned: LearnedSpaces, context: CallContext) {
    this.#db = db;
    this.#learned = learned;
    this.#context = context;
  }

  /** Whether anything was learned by an earlier call and has not been proved. */
  get isUnproved(): boolean {
    return this.#unproved.size > 0 || this.#context.premise?.guard !== undefined;
  }

  /** Ids of the spaces that were read now, or of which something has proved that they are still so. */
  get proved(): string[] {
    return [...this.#spaces.keys()].filter((id) => !this.#unproved.has(id));
  }

  /** Spaces by id, read from the database where no earlier call has learned them; ids that do not exist are left out. */
  async spaces(ids: readonly string[]): Promise<ReadonlyMap<string, SearchedSpace>> {
    const unknown: string[] = [];
    for (const id of ids) {
      const space = this.#learned.get(id);
      if (space === undefined) unknown.push(id);
      else {
        this.#take(space);
        this.#unproved.add(id);
      }
    }
    if (unknown.length === 0) return this.#spaces;
    const read = await selectSpacesToSearch(this.#db.main, unknown, guarded(this.#context));
    for (const [id, space] of read) {
      this.#learned.set(id, space);
      this.#take(space);
    }
    return this.#spaces;
  }

  /** Forgets the spaces, so that the next attempt reads them. */
  forget(): void {
    for (const id of this.#spaces.keys()) this.#learned.delete(id);
  }

  /**
   * What a search of a space takes along: that key and space are as this attempt sees them. Its answer brings the numbers of
   * vectors up to date, which are no part of a version.
   */
  guardsOf(spaceId: string): readonly Guard[] {
    const key = this.#context.premise?.guard;
    const space = this.#isTrusted ? undefined : this.#spaces.get(spaceId);
    if (space !== undefined) return [this.#guardOf(space, key)];
    return key === undefined ? [] : [key];
  }

  /** From now on searches take the spaces as they were read, for the sake of one that changes all the time. */
  trust(): void {
    this.#isTrusted = true;
  }

  #guardOf(space: SearchedSpace, key: Guard | undefined): SelectGuard {
    return guardOfSpace(space, key, ({ vectorCounts }) => {
      this.#unproved.delete(space.spaceId);
      for (const [index, embedder] of space.embedders.entries()) embedder.vectorCount = vectorCounts[index] ?? 0;
    });
  }

  /** Asks for what nothing has proved so far. Throws StaleError. */
  async settle(): Promise<void> {
    const { signal, premise } = this.#context;
    const spaces = [...this.#unproved].flatMap((id) => this.#spaces.get(id) ?? []);
    const guards = spaces.map((space) => this.#guardOf(space, premise?.guard));
    await Promise.all(guards.map((guard) => guard.ask(this.#db.main, { signal })));
    await premise?.settle(signal);
  }

  /** A copy for this attempt, which brings its counts up to date. */
  #take(space: SearchedSpace): void {
    this.#spaces.set(space.spaceId, { ...space, embedders: space.embedders.map((embedder) => ({ ...embedder })) });
  }
}
