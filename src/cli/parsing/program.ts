import { Option, Command as Parser } from 'commander';
import { type HelpPage, type PageStyle, pageText } from '../help/page.ts';
import { commandPage, groupPage, programPage } from '../help/pages.ts';
import type { Command, CommandEntry } from '../kit/command.ts';
import { type Flag, type FlagSet, takesValue } from '../kit/flags/flag.ts';
import { GLOBAL_FLAGS } from '../kit/flags/global-flags.ts';
import { type Located, requireOffered } from './locate.ts';

/** What was called: the record with the raw texts of its arguments and flags. */
export interface Invocation {
  command: Command;
  args: Readonly<Record<string, string | readonly string[] | undefined>>;
  flags: Readonly<Record<string, unknown>>;
  /** The keys of the flags that stood on the command line. */
  given: readonly string[];
}

interface ProgramOptions {
  entries: readonly CommandEntry[];
  /** The command that is called: the others need no parser. */
  located: Located;
  version: string;
  style: PageStyle;
  /** Takes help and version texts. */
  print: (text: string) => void;
  invoke: (invocation: Invocation) => void;
}

/** The parser of a command line, made from the records. Parse errors are thrown as commander's own. */
export function buildProgram({ entries, located, version, style, print, invoke }: ProgramOptions): Parser {
  const program = new Parser('svc')
    .configureOutput({
      writeOut: print,
      writeErr: print,
      outputError: () => {},
      // Whether there is color is decided with the style; commander would take it out again.
      getOutHasColors: () => true,
      getErrHasColors: () => true,
    })
    .exitOverride()
    .showSuggestionAfterError(false)
    .version(version, '--version')
    .helpOption('-h, --help')
    .helpCommand(false);
  showPage(program, () => programPage(entries), style);
  addFlags(program, GLOBAL_FLAGS);
  const { entry, module } = located;
  // Without any command commander would not answer an empty line with the help.
  const parser = program.command(entry?.name ?? 'help');
  if (module?.kind === 'command') addCommand(parser, module.command, module.command.name, style, invoke);
  if (module?.kind === 'group' && entry !== undefined) {
    parser.helpCommand(false);
    showPage(parser, () => groupPage(entry, module.commands), style);
    for (const record of module.commands) {
      addCommand(parser.command(record.name), record, `${entry.name} ${record.name}`, style, invoke);
    }
  }
  return program;
}

function addCommand(
  parser: Parser,
  record: Command,
  path: string,
  style: PageStyle,
  invoke: ProgramOptions['invoke'],
): void {
  const names = Object.keys(record.args);
  for (const { term } of Object.values(record.args)) parser.argument(term);
  addFlags(parser, record.flags);
  showPage(parser, () => commandPage(path, record), style);
  parser
    .aliases([...(record.aliases ?? [])])
    .allowExcessArguments(false)
    .action(() => {
      const args = Object.fromEntries(names.map((name, index) => [name, parser.processedArgs[index]]));
      const given = Object.entries(record.flags).flatMap(([key, flag]) => (isGiven(parser, flag) ? [key] : []));
      invoke({ command: record, args, flags: readFlags(parser, record.flags), given });
    });
}

function showPage(parser: Parser, page: () => HelpPage, style: PageStyle): void {
  parser.configureHelp({ formatHelp: () => pageText(page(), style) });
}

function addFlags(parser: Parser, flags: FlagSet): void {
  for (const { term } of Object.values(flags)) parser.addOption(optionOf(term));
}

function optionOf(term: string): Option {
  const option = new Option(term);
  if (!takesValue(term)) return option;
  return option.argParser((value: string, before: unknown) => [...(Array.isArray(before) ? before : []), value]);
}

/** The values of flags as their records read them. A wrong one throws a usage error. */
export function readFlags(parser: Parser, flags: FlagSet): Record<string, unknown> {
  const entries = Object.entries(flags).map(([key, flag]: [string, Flag<unknown>]) => {
    const texts = isGiven(parser, flag) ? textsOf(parser.getOptionValue(attributeOf(flag))) : [];
    requireOffered(flag, texts);
    return [key, flag.read(texts)] as const;
  });
  return Object.fromEntries(entries);
}

function isGiven(parser: Parser, flag: Flag<unknown>): boolean {
  return parser.getOptionValueSource(attributeOf(flag)) === 'cli';
}

/** Under what name the parser keeps the value of a flag. */
function attributeOf({ term }: Flag<unknown>): string {
  return new Option(term).attributeName();
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [''];
}
