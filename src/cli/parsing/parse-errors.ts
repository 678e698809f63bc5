import type { CommanderError, Command as Parser } from 'commander';
import { usageOf } from '../help/pages.ts';
import { type CommandError, usageError } from '../kit/errors.ts';
import { flagNames, offeredFlags } from '../kit/flags/flag.ts';
import { GLOBAL_FLAGS } from '../kit/flags/global-flags.ts';
import { didYouMean } from '../kit/text/suggest.ts';
import type { Located } from './locate.ts';

const OWN_FLAGS = ['--help', '--version'];

interface RefusedLine {
  words: readonly string[];
  located: Located;
  /** The parser that refused the words. */
  program: Parser;
}

/**
 * What the parser refuses, in the words of the help. Of the parser's error only the code counts: what it is about follows
 * from the command line, the records and what the parser has read.
 */
export function parseErrorOf(
  { code, message }: CommanderError,
  { words, located, program }: RefusedLine,
): CommandError {
  const parsers = parsersOf(program, located);
  const given = parsers.at(-1)?.args.length ?? 0;
  switch (code) {
    case 'commander.unknownOption':
      return unknownFlag((wordsLeft(parsers, words)[0] ?? '').replace(/=.*$/s, ''), located);
    case 'commander.optionMissingArgument':
      return valueMissing(wordsLeft(parsers, words).at(-1) ?? '', located);
    case 'commander.missingArgument':
      return missingArguments(given, located);
    case 'commander.excessArguments':
      return tooMany(given, located);
    default:
      return usageError('The command line cannot be read', { details: message });
  }
}

/** Those that the words pass on their way to the command: of all commands, of the noun, of the command. */
function parsersOf(program: Parser, { record }: Located): Parser[] {
  const [noun] = program.commands;
  const verb = noun?.commands.find((parser) => parser.name() === record?.name);
  return [program, noun, verb].filter((parser) => parser !== undefined);
}

/**
 * What no parser takes, from the first unknown flag on. Where one refuses a flag without its value these are the words
 * that it was given, of which that flag is the last.
 */
function wordsLeft(parsers: readonly Parser[], words: readonly string[]): readonly string[] {
  let left = words;
  for (const parser of parsers) {
    try {
      left = parser.parseOptions([...left]).unknown;
    } catch {
      return left;
    }
  }
  return left;
}

function valueMissing(name: string, { record }: Located): CommandError {
  const flags = [...Object.values(record?.flags ?? {}), ...Object.values(GLOBAL_FLAGS)];
  const { term } = flags.find((flag) => flagNames(flag.term).includes(name)) ?? { term: name };
  return usageError(`${flagNames(term).at(-1)} needs a value`, { details: `Write it as ${term}` });
}

/** All that are missing: those behind the first one are too. `given`: how many are there. */
function missingArguments(given: number, located: Located): CommandError {
  const terms = Object.values(located.record?.args ?? {}).map(({ term }) => term);
  const missing = terms.slice(given).filter((term) => term.startsWith('<'));
  const last = missing.pop();
  const what =
    missing.length === 0 ? `argument ${last} is missing` : `arguments ${missing.join(', ')} and ${last} are missing`;
  return usageError(`The ${what}`, usageDetails(located));
}

function unknownFlag(name: string, { record, entry, module }: Located): CommandError {
  if (record === undefined && module?.kind === 'group') {
    const owner = module.commands.find(({ flags }) =>
      Object.values(flags).some(({ term }) => flagNames(term).includes(name)),
    );
    if (owner !== undefined) {
      const details = `Put it after the command: svc ${entry?.name} ${owner.name} ${name}`;
      return usageError(`Unknown flag ${name}`, { details });
    }
  }
  const flags = [...Object.values(offeredFlags(record?.flags ?? {})), ...Object.values(GLOBAL_FLAGS)];
  const names = [...flags.flatMap(({ term }) => flagNames(term)), ...OWN_FLAGS].filter((flag) => flag.startsWith('--'));
  const details = didYouMean(name, names);
  return usageError(`Unknown flag ${name}`, details === undefined ? {} : { details });
}

function tooMany(given: number, { record, path }: Located): CommandError {
  const wanted = Object.keys(record?.args ?? {}).length;
  const takes = wanted === 0 ? 'no arguments' : wanted === 1 ? 'one argument' : `${wanted} arguments`;
  return usageError(
    `svc ${path} takes ${takes}, got ${given}`,
    wanted > 0 ? { details: 'A value with spaces needs quotes around it' } : usageDetails({ record, path }),
  );
}

function usageDetails({ record, path }: Pick<Located, 'record' | 'path'>): { details?: string } {
  const [usage] = record === undefined ? [] : usageOf(path, record);
  return usage === undefined ? {} : { details: `Usage: ${usage}` };
}
