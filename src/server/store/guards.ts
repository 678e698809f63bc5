import { type Guard, StaleError } from '../context.ts';
import { usableKey } from './api-keys.ts';
import type { Queryable, StatementOptions } from './db.ts';
import { spaceVersion } from './embedders.ts';
import { statement } from './statement.ts';

/** What a call takes for true because an earlier call found it so. */
interface Assumed {
  key?: { apiKeyId: string; version: string } | undefined;
  space?: AssumedSpace | undefined;
}

/** A space as a search sees it. */
interface AssumedSpace {
  spaceId: string;
  version: string;
}

/** What has been found so by the answer to a guard. */
interface Standing {
  /** The use of the key is to be recorded. */
  isUseDue: boolean;
  /** Of the space, for each of its embedders in their order. */
  vectorCounts: readonly number[];
}

interface GuardRow {
  keyVersion: string | null;
  isUseDue: boolean | null;
  spaceVersion: string | null;
  vectorCounts: number[] | null;
}

/** Reads by primary keys alone. A key or a space that is not there, or may not be used, has no version. */
const SELECT = statement({
  name: 'guards.select',
  purpose: 'Whether an API key and a space are still as a call takes them to be; goes along behind what the call reads',
  text: `select k.version as "keyVersion", k."isUseDue", ${spaceVersion('$2')} as "spaceVersion",
      (select array_agg(a.vector_count order by a.position) from space_embedder a where a.space_id = $2)
        as "vectorCounts"
    from (select) call left join lateral (${usableKey('$1')}) k on true`,
});

/** The guard of what a call assumes; `onHeld` is told what else its answer says when all of it holds. */
export class SelectGuard implements Guard {
  readonly statement = SELECT;
  readonly values: readonly unknown[];
  readonly #assumed: Assumed;
  readonly #onHeld: (standing: Standing) => void;

  constructor(assumed: Assumed, onHeld: (standing: Standing) => void) {
    this.#assumed = assumed;
    this.#onHeld = onHeld;
    this.values = [assumed.key?.apiKeyId ?? null, assumed.space?.spaceId ?? null];
  }

  /** The guard of both, in one statement. */
  withSpace(space: AssumedSpace, onHeld: (standing: Standing) => void): SelectGuard {
    return new SelectGuard({ ...this.#assumed, space }, (standing) => {
      this.#onHeld(standing);
      onHeld(standing);
    });
  }

  /** Throws StaleError; a key that has changed counts before a space. */
  check([row]: readonly object[]): void {
    const { keyVersion, isUseDue, spaceVersion: version, vectorCounts } = row as GuardRow;
    const { key, space } = this.#assumed;
    if (key !== undefined && key.version !== keyVersion) throw new StaleError('key');
    if (space !== undefined && space.version !== version) throw new StaleError('space');
    this.#onHeld({ isUseDue: isUseDue === true, vectorCounts: vectorCounts ?? [] });
  }

  /** Asks by itself. Throws StaleError. */
  async ask(q: Queryable, options?: StatementOptions): Promise<void> {
    this.check(await q.query<GuardRow>(this.statement, this.values, options));
  }
}

/** The guard of a space, and of a key with it where `key` is one. */
export function guardOfSpace(
  space: AssumedSpace,
  key: Guard | undefined,
  onHeld: (standing: Standing) => void,
): SelectGuard {
  return key instanceof SelectGuard ? key.withSpace(space, onHeld) : new SelectGuard({ space }, onHeld);
}
