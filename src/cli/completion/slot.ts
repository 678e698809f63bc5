import type { Command, CommandEntry, CommandModule, Positional } from '../kit/command.ts';
import { type Completion, type Flag, type FlagSet, flagNames, offeredFlags, takesValue } from '../kit/flags/flag.ts';
import { GLOBAL_FLAGS } from '../kit/flags/global-flags.ts';
import { locate } from '../parsing/locate.ts';

/** What can stand at the cursor, read off the words before it. */
export type Slot = { readonly given: TypedWords } & (
  | { readonly kind: 'entries' }
  | { readonly kind: 'verbs'; readonly commands: readonly Command[] }
  | { readonly kind: 'flags'; readonly flags: FlagSet }
  /** A value of a flag or an argument. `prefix` is what of the word stands before the value: `--space=`. */
  | { readonly kind: 'value'; readonly prefix: string; readonly value: ValueKind }
  | { readonly kind: 'nothing' }
);

export interface ValueKind {
  readonly choices?: readonly string[];
  readonly completes?: Completion;
}

/** Texts that were typed before the cursor, by the keys of the records. */
export interface TypedWords {
  readonly flags: Readonly<Record<string, readonly string[]>>;
  readonly args: Readonly<Record<string, string>>;
}

/** `words` are those behind `svc`; the last one is under the cursor and may be empty. */
export async function slotOf(entries: readonly CommandEntry[], words: readonly string[]): Promise<Slot> {
  const before = words.slice(0, -1);
  const current = words.at(-1) ?? '';
  const { module, record, end, unknown } = await locate(entries, before);
  const flags: FlagSet = { ...offeredFlags(record?.flags ?? {}), ...GLOBAL_FLAGS };
  const walk = walkWords(before, flags, end);
  const given = givenOf(walk, record);
  if (walk.pending !== undefined) return { kind: 'value', prefix: '', value: valueOfFlag(walk.pending), given };
  if (current.startsWith('-') && !walk.onlyArguments) return flagSlot(current, flags, given);
  if (unknown !== undefined) return { kind: 'nothing', given };
  if (record === undefined) return { ...commandSlot(module), given };
  const positional = positionalAt(record, walk.args.length);
  return positional === undefined
    ? { kind: 'nothing', given }
    : { kind: 'value', prefix: '', value: positional, given };
}

function commandSlot(
  module: CommandModule | undefined,
): { kind: 'entries' } | { kind: 'verbs'; commands: readonly Command[] } {
  return module?.kind === 'group' ? { kind: 'verbs', commands: module.commands } : { kind: 'entries' };
}

function flagSlot(current: string, flags: FlagSet, given: TypedWords): Slot {
  const at = current.indexOf('=');
  if (at === -1) return { kind: 'flags', flags, given };
  const [, flag] = entryOf(flags, current.slice(0, at)) ?? [];
  if (flag === undefined) return { kind: 'nothing', given };
  return { kind: 'value', prefix: current.slice(0, at + 1), value: valueOfFlag(flag), given };
}

interface Walk {
  flags: Record<string, string[]>;
  args: string[];
  /** The flag whose value the cursor stands at. */
  pending: Flag<unknown> | undefined;
  /** A `--` was met. */
  onlyArguments: boolean;
}

/** Sorts words into flags and arguments, as the parser does. The first `end` words hold the names of the command. */
function walkWords(words: readonly string[], flags: FlagSet, end: number): Walk {
  const walk: Walk = { flags: {}, args: [], pending: undefined, onlyArguments: false };
  for (const [at, word] of words.entries()) {
    const pending = walk.pending;
    walk.pending = undefined;
    if (pending !== undefined) {
      note(walk, flags, pending, word);
    } else if (walk.onlyArguments || !word.startsWith('-') || word === '-') {
      if (at >= end) walk.args.push(word);
    } else if (word === '--') {
      walk.onlyArguments = true;
    } else {
      readFlag(walk, flags, word);
    }
  }
  return walk;
}

function readFlag(walk: Walk, flags: FlagSet, word: string): void {
  const at = word.indexOf('=');
  const [, flag] = entryOf(flags, at === -1 ? word : word.slice(0, at)) ?? [];
  if (flag === undefined) return;
  if (at !== -1) note(walk, flags, flag, word.slice(at + 1));
  // What may stand bare takes a value behind an equals sign only, as far as completion goes.
  else if (flag.term.endsWith('>')) walk.pending = flag;
  else note(walk, flags, flag, '');
}

function note(walk: Walk, flags: FlagSet, flag: Flag<unknown>, text: string): void {
  const key = Object.keys(flags).find((name) => flags[name] === flag);
  if (key !== undefined) walk.flags[key] = [...(walk.flags[key] ?? []), text];
}

function entryOf(flags: FlagSet, name: string): [string, Flag<unknown>] | undefined {
  return Object.entries(flags).find(([, { term }]) => flagNames(term).includes(name));
}

function givenOf({ flags, args }: Walk, record: Command | undefined): TypedWords {
  const names = Object.keys(record?.args ?? {});
  return {
    flags,
    args: Object.fromEntries(names.flatMap((name, at) => (args[at] === undefined ? [] : [[name, args[at]]]))),
  };
}

/** The last argument takes every further word when its term says so: `<path...>`. */
function positionalAt({ args }: Command, at: number): Positional<unknown> | undefined {
  const all = Object.values(args);
  const last = all.at(-1);
  return all[at] ?? (last?.term.includes('...') === true ? last : undefined);
}

/** A placeholder such as `<auto|text|json>` lists its values, whatever else the record says. */
function valueOfFlag({ term, choices, completes }: Flag<unknown>): ValueKind {
  const listed = takesValue(term) ? /[<[]([\w-]+(?:\|[\w-]+)+)[>\]]$/.exec(term)?.[1]?.split('|') : undefined;
  const found = choices ?? (completes === undefined ? listed : undefined);
  return { ...(found === undefined ? {} : { choices: found }), ...(completes === undefined ? {} : { completes }) };
}
