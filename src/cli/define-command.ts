import type { Command, PositionalSet } from './command.ts';
import type { FlagSet } from './flags/flag.ts';
import { selectable } from './selection/selectable.ts';
import { watchable } from './watch/watchable.ts';

/** Infers the types of arguments and flags from the record. */
export function command<const A extends PositionalSet, const F extends FlagSet>(record: Command<A, F>): Command {
  const given = record as unknown as Command;
  const general = record.isWatchable === true ? watchable(given) : given;
  return record.jsonFields === undefined ? general : selectable(general, record.jsonFields);
}
