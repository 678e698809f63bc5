import type { TargetNoun } from '../../../shared/target-kinds.ts';
import { usageError } from '../errors.ts';

/** What a shell's completion asks the server, the config file, the shell or the registry for. */
export type Completion =
  | 'spaces'
  | 'memories'
  | TargetNoun
  | 'targets'
  | 'apikeys'
  | 'users'
  | 'profiles'
  | 'commands'
  | 'files';

/** One flag of a command: how it is written and how its texts become a value. */
export interface Flag<T> {
  /** As commander writes it: `-c, --count <n>`, `--wait`, `--no-memory`. */
  readonly term: string;
  readonly description: string;
  /** The heading under which help lists it; without one it stands under "Flags". */
  readonly group?: string;
  /** Values that help and completion list. */
  readonly choices?: readonly string[];
  /** The server of this build cannot do it yet, with any value or with these: not offered, and refused with a sentence. */
  readonly lacking?: true | readonly string[];
  /** The fields of the request that it fills, where their names do not follow from its key: for errors about them. */
  readonly fields?: readonly string[];
  /** What its value names, when a shell can complete it. */
  readonly completes?: Completion;
  /** The environment variable that counts when the flag is not given. */
  readonly variable?: string;
  /** `texts` holds what was given, in order; a bare flag gives one "". Empty when the flag was not given. */
  read(texts: readonly string[]): T;
}

export type FlagSet = Readonly<Record<string, Flag<unknown>>>;
export type FlagValues<F extends FlagSet> = { readonly [K in keyof F]: F[K] extends Flag<infer T> ? T : never };

/** The flags and values that people are told about. */
export function offeredFlags(flags: FlagSet): FlagSet {
  const offered = Object.entries(flags).filter(([, { lacking }]) => lacking !== true);
  return Object.fromEntries(offered.map(([key, flag]) => [key, { ...flag, ...offeredChoices(flag) }]));
}

function offeredChoices({ choices, lacking }: Flag<unknown>): { choices?: readonly string[] } {
  if (choices === undefined || lacking === undefined || lacking === true) return {};
  return { choices: choices.filter((choice) => !lacking.includes(choice)) };
}

/** The flag with the fields of the request that it fills. */
export function filling<F extends Flag<unknown>>(flag: F, ...fields: readonly string[]): F {
  return { ...flag, fields };
}

/** The long form without dashes: `-c, --count <n>` → `count`. */
export function flagName(term: string): string {
  return /--([a-z0-9-]+)/.exec(term)?.[1] ?? term.replace(/^-+|\s.*$/g, '');
}

/** Every form without its value: `-c, --count <n>` → `-c`, `--count`. */
export function flagNames(term: string): string[] {
  return term.replace(/\s[<[].*$/, '').split(', ');
}

/** A flag takes a value when its term ends in `<…>` or `[…]`. */
export function takesValue(term: string): boolean {
  return /[>\]]$/.test(term);
}

/** The same flags, listed by help under a heading of their own. */
export function inGroup<const F extends FlagSet>(group: string, flags: F): F {
  return Object.fromEntries(Object.entries(flags).map(([key, flag]) => [key, { ...flag, group }])) as F;
}

type Present<T> = { readonly [K in keyof T]: Exclude<T[K], undefined> };

/** The values of flags that a command cannot do without. All that are missing are named at once. */
export function needed<F extends FlagSet, const K extends keyof F & string>(
  set: F,
  values: FlagValues<F>,
  keys: readonly K[],
): Present<Pick<FlagValues<F>, K>> {
  const missing = keys.filter((key) => values[key] === undefined).map((key) => `--${flagName(set[key]?.term ?? key)}`);
  const last = missing.pop();
  if (last === undefined) return values as Present<Pick<FlagValues<F>, K>>;
  throw usageError(missing.length === 0 ? `${last} is required` : `${missing.join(', ')} and ${last} are required`);
}

type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Only the members that have a value: a request says nothing about a flag that was not given. */
export function given<T extends object>(members: T): Given<T> {
  const entries = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Given<T>;
}
