import type { CommanderError } from 'commander';
import { usageOf } from '../help/pages.ts';
import { type CommandError, usageError } from '../kit/errors.ts';
import { flagNames, offeredFlags } from '../kit/flags/flag.ts';
import { GLOBAL_FLAGS } from '../kit/flags/global-flags.ts';
import { didYouMean } from '../kit/text/suggest.ts';
import type { Located } from './locate.ts';

const OWN_FLAGS = ['--help', '--version'];

/** What the parser complains about, in the words of the help. */
export function parseErrorOf(error: CommanderError, located: Located): CommandError {
  const quoted = /'(.*?)'/s.exec(error.message)?.[1] ?? '';
  switch (error.code) {
    case 'commander.unknownOption':
      return unknownFlag(quoted.replace(/=.*$/s, ''), located);
    case 'commander.optionMissingArgument':
      return usageError(`${flagNames(quoted).at(-1)} needs a value`, { details: `Write it as ${quoted}` });
    case 'commander.missingArgument':
      return missingArguments(quoted, located);
    case 'commander.excessArguments':
      return tooMany(error.message, located);
    default: {
      const message = error.message.replace(/^error: /, '');
      return usageError(`${message.charAt(0).toUpperCase()}${message.slice(1)}`);
    }
  }
}

/** All that are missing: those behind the first one are too. */
function missingArguments(first: string, located: Located): CommandError {
  const terms = Object.values(located.record?.args ?? {}).map(({ term }) => term);
  const from = terms.findIndex((term) => term.replace(/[<>.]/g, '') === first);
  const missing = terms.slice(Math.max(0, from)).filter((term) => term.startsWith('<'));
  const last = missing.pop() ?? `<${first}>`;
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

function tooMany(message: string, { record, path }: Located): CommandError {
  const [, wanted = '0', got = ''] = /Expected (\d+) arguments? but got (\d+)/.exec(message) ?? [];
  const takes = wanted === '0' ? 'no arguments' : wanted === '1' ? 'one argument' : `${wanted} arguments`;
  const isText = record !== undefined && wanted !== '0';
  return usageError(
    `svc ${path} takes ${takes}, got ${got}`,
    isText ? { details: 'A value with spaces needs quotes around it' } : usageDetails({ record, path }),
  );
}

function usageDetails({ record, path }: Pick<Located, 'record' | 'path'>): { details?: string } {
  const [usage] = record === undefined ? [] : usageOf(path, record);
  return usage === undefined ? {} : { details: `Usage: ${usage}` };
}
