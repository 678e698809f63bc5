import type { Client } from './client/client.ts';
import type { ClientSettings } from './config/settings.ts';
import type { Completion, FlagSet, FlagValues } from './flags/flag.ts';
import type { GlobalValues } from './flags/global-flags.ts';
import type { Io } from './output/io.ts';

/** One positional argument. */
export interface Positional<T> {
  /** As help shows it: `<space>`, `[id]`, `<path...>`. */
  readonly term: string;
  readonly description: string;
  /** Values that help and completion list. */
  readonly choices?: readonly string[];
  /** The fields of the request that it fills, where their names do not follow from its key. */
  readonly fields?: readonly string[];
  /** What it names, when a shell can complete it. */
  readonly completes?: Completion;
  /** Never called; carries the type. */
  readonly value?: T;
}

export type PositionalSet = Readonly<Record<string, Positional<unknown>>>;
type PositionalValues<P extends PositionalSet> = {
  readonly [K in keyof P]: P[K] extends Positional<infer T> ? T : never;
};

export function required(name: string, description: string): Positional<string> {
  return { term: `<${name}>`, description };
}
export function optional(name: string, description: string): Positional<string | undefined> {
  return { term: `[${name}]`, description };
}
/** One or more; the last positional of its command. */
export function several(name: string, description: string): Positional<readonly string[]> {
  return { term: `<${name}...>`, description };
}
/** Any number, also none; the last positional of its command. */
export function anyNumber(name: string, description: string): Positional<readonly string[]> {
  return { term: `[${name}...]`, description };
}

/** What a running command is given besides its own arguments and flags. */
export interface CommandContext {
  io: Io;
  globals: GlobalValues;
  /** What flags, environment, profile and defaults come to. */
  settings: ClientSettings;
  /** Aborted by Ctrl-C, SIGTERM and a closed pipe; its reason says by which. */
  signal: AbortSignal;
  /** Connects at the first call and stays connected until the command has ended. */
  client(): Promise<Client>;
}

interface CommandInput<A extends PositionalSet, F extends FlagSet> {
  args: PositionalValues<A>;
  flags: FlagValues<F>;
}

/** A command is a record: parsing, help, completion, man page and docs follow from it. */
export interface Command<A extends PositionalSet = PositionalSet, F extends FlagSet = FlagSet>
  extends CommandBody<A, F> {
  readonly name: string;
  readonly aliases?: readonly string[];
  /** One line without a full stop. */
  readonly summary: string;
}

/** What is known of a command without its name. That of a lone command, and its summary, stand in its entry. */
export interface CommandBody<A extends PositionalSet = PositionalSet, F extends FlagSet = FlagSet> {
  /** What it prints may be long: on a terminal it goes through the pager. */
  readonly isPaged?: boolean;
  /** More to say, below the usage. */
  readonly notes?: string;
  /** The server answers without an API key; left out where it does not. */
  readonly needsKey?: false;
  /** Members of the JSON that it shows, for `--json` and `--jq`; left out where it does not have these flags. */
  readonly jsonFields?: readonly string[];
  /** It can show the same again and again, with `--watch`. */
  readonly isWatchable?: true;
  readonly args: A;
  readonly flags: F;
  /** What follows `svc`, three of them. */
  readonly examples: readonly [string, string, string];
  /** The exit code when it is not 0. Failures are thrown. */
  // Written as a method so that records of different arguments fit one list.
  run(context: CommandContext, input: CommandInput<A, F>): Promise<number | undefined>;
}

/** Either a command (`svc ping`) or a noun with commands (`svc spaces list`). */
export type CommandModule =
  | { readonly kind: 'command'; readonly command: Command }
  | { readonly kind: 'group'; readonly commands: readonly Command[] };

export const SPACE: Positional<string> = { ...required('space', 'Name or id of the space'), completes: 'spaces' };

export const MEMORY: Positional<string> = { ...required('id', 'Id or path of the memory'), completes: 'memories' };

/** The headings under which `svc --help` lists the commands, in this order. */
export const COMMAND_GROUPS = ['Start', 'Memories', 'Models', 'People and keys', 'Server', 'Tools'] as const;
type CommandGroup = (typeof COMMAND_GROUPS)[number];

/** A noun or a lone command as `svc --help` lists it. Its records are loaded only when it is the one that was called. */
export interface CommandEntry {
  readonly name: string;
  readonly group: CommandGroup;
  /** One line without a full stop. */
  readonly summary: string;
  /** The server of this build cannot do it yet: it is not offered, and refused with a sentence. */
  readonly lacking?: true;
  load(): Promise<CommandModule>;
}

/** Those that people are told about. */
export function offeredEntries(entries: readonly CommandEntry[]): readonly CommandEntry[] {
  return entries.filter(({ lacking }) => lacking !== true);
}
