import { Option, Command as Parser } from 'commander';
import type { Command, CommandModule } from './command.ts';
import { type Flag, type FlagSet, takesValue } from './flags/flag.ts';
import { GLOBAL_FLAGS } from './global-flags.ts';

/** The headings under which `svc --help` lists the commands, in this order. */
export const COMMAND_GROUPS = ['Start', 'Memories', 'Models', 'People and keys', 'Server', 'Tools'] as const;
export type CommandGroup = (typeof COMMAND_GROUPS)[number];

/** A noun or a lone command as `svc --help` lists it. Its records are loaded only when it is the one that was called. */
export interface Entry {
  readonly name: string;
  readonly group: CommandGroup;
  readonly summary: string;
  load(): Promise<CommandModule>;
}

/** What was called: the record with the raw texts of its arguments and flags. */
export interface Invocation {
  command: Command;
  /** As it is called, without `svc`: `spaces list`. */
  path: string;
  args: Readonly<Record<string, string | readonly string[] | undefined>>;
  flags: Readonly<Record<string, unknown>>;
}

export interface ProgramOptions {
  entries: readonly Entry[];
  /** Modules of the entries that may be called; the others are listed only. */
  loaded: ReadonlyMap<string, CommandModule>;
  version: string;
  helpWidth: number;
  /** Takes help and version texts. */
  print: (text: string) => void;
  invoke: (invocation: Invocation) => void;
}

/** The parser of the whole command line, made from the records. Parse errors are thrown as commander's own. */
export function buildProgram({ entries, loaded, version, helpWidth, print, invoke }: ProgramOptions): Parser {
  const program = new Parser('svc')
    .description('A memory service: store memories, find them again by meaning.')
    .configureOutput({
      writeOut: print,
      writeErr: print,
      outputError: () => {},
      getOutHelpWidth: () => helpWidth,
      getErrHelpWidth: () => helpWidth,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .configureHelp({ styleTitle: titleOf, subcommandTerm, minWidthToWrap: 20 })
    .usage('<command> [flags]')
    .exitOverride()
    .version(version, '--version', 'Print the version')
    .helpOption('-h, --help', 'Print help')
    .helpCommand('help [command]', 'Print help for a command')
    .addHelpText('after', '\nHelp for one command: svc <command> --help');
  addFlags(program, GLOBAL_FLAGS);
  for (const { name, summary } of entries) {
    const module = loaded.get(name);
    const parser = program.command(name).summary(summary).description(`${summary}.`);
    if (module?.kind === 'command') addCommand(parser, module.command, name, invoke);
    if (module?.kind === 'group') addGroup(parser, module.commands, name, invoke);
  }
  return program;
}

function addGroup(parser: Parser, commands: readonly Command[], noun: string, invoke: ProgramOptions['invoke']): void {
  parser.helpCommand(false).usage('<command> [flags]');
  for (const record of commands) {
    addCommand(parser.command(record.name), record, `${noun} ${record.name}`, invoke);
  }
}

function addCommand(parser: Parser, record: Command, path: string, invoke: ProgramOptions['invoke']): void {
  const names = Object.keys(record.args);
  for (const { term, description } of Object.values(record.args)) parser.argument(term, description);
  addFlags(parser, record.flags);
  parser
    .summary(record.summary)
    .description([`${record.summary}.`, record.notes].filter(Boolean).join('\n\n'))
    .aliases([...(record.aliases ?? [])])
    .allowExcessArguments(false)
    .usage([...Object.values(record.args).map(({ term }) => term), '[flags]'].join(' '))
    .addHelpText('after', examplesText(record))
    .action(() => {
      const args = Object.fromEntries(names.map((name, index) => [name, parser.processedArgs[index]]));
      invoke({ command: record, path, args, flags: readFlags(parser, record.flags) });
    });
}

function examplesText({ examples }: Command): string {
  const lines = examples.map((example) => `  svc ${example}`);
  return ['', 'Examples:', ...lines, '', 'Flags of every command: svc --help'].join('\n');
}

function addFlags(parser: Parser, flags: FlagSet): void {
  for (const flag of Object.values(flags)) parser.addOption(optionOf(flag));
}

function optionOf({ term, description, choices, variable }: Flag<unknown>): Option {
  // Listed here and not left to commander's choices(), which compares letter by letter.
  const listed = choices === undefined ? '' : `: ${choices.join(', ')}`;
  const option = new Option(term, `${description}${listed}${variable === undefined ? '' : ` (env ${variable})`}`);
  if (!takesValue(term)) return option;
  return option.argParser((value: string, before: unknown) => [...(Array.isArray(before) ? before : []), value]);
}

/** The values of flags as their records read them. A wrong one throws a usage error. */
export function readFlags(parser: Parser, flags: FlagSet): Record<string, unknown> {
  const entries = Object.entries(flags).map(([key, flag]) => {
    const name = new Option(flag.term).attributeName();
    const isGiven = parser.getOptionValueSource(name) === 'cli';
    return [key, flag.read(isGiven ? textsOf(parser.getOptionValue(name)) : [])] as const;
  });
  return Object.fromEntries(entries);
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [''];
}

function subcommandTerm(parser: Parser): string {
  const args = parser.registeredArguments.map((argument) => {
    const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
    return argument.required ? ` <${name}>` : ` [${name}]`;
  });
  return `${parser.name()}${args.join('')}`;
}

function titleOf(title: string): string {
  return title.replace('Options:', 'Flags:');
}
