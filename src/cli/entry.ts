import type { CommandModule } from './command.ts';

/** The headings under which `svc --help` lists the commands, in this order. */
export const COMMAND_GROUPS = ['Start', 'Memories', 'Models', 'People and keys', 'Server', 'Tools'] as const;
export type CommandGroup = (typeof COMMAND_GROUPS)[number];

/** A noun or a lone command as `svc --help` lists it. Its records are loaded only when it is the one that was called. */
export interface Entry {
  readonly name: string;
  readonly group: CommandGroup;
  /** One line without a full stop. */
  readonly summary: string;
  /** The server of this build cannot do it yet: it is not offered, and refused with a sentence. */
  readonly lacking?: true;
  load(): Promise<CommandModule>;
}

/** Those that people are told about. */
export function offeredEntries(entries: readonly Entry[]): readonly Entry[] {
  return entries.filter(({ lacking }) => lacking !== true);
}
