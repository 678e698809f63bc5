import { Settings } from './kit/config/settings.ts';
import { ConfigurationError } from './kit/errors.ts';
import { GLOBAL_FLAGS, type GlobalValues } from './kit/flags/global-flags.ts';
import { type Environment, OUTPUTS, type Output } from './kit/output/io.ts';
import type { Invocation } from './parsing/program.ts';

/** A config file that cannot be used is told by the commands that need it; the others, the server first, go on. */
export async function outputOf(settings: Settings): Promise<Output> {
  try {
    return (await settings.output()).value;
  } catch (error) {
    if (error instanceof ConfigurationError) return 'auto';
    throw error;
  }
}

/** The form that words which nobody has parsed yet, or the environment, ask for by name; undefined when they do not. */
export function namedOutput(argv: readonly string[], env: Environment): Output | undefined {
  const named = valueIn(argv, /^(?:-o|--output)$/, /^(?:-o|--output=)(?=\w)/) ?? env.SVC_OUTPUT;
  return OUTPUTS.find((output) => output === named);
}

/** The form of the output that a command would have had: its failure has the same. */
export async function failureOutput(
  { flags: { json, jq } }: Invocation,
  globals: GlobalValues,
  env: Environment,
): Promise<Output> {
  // Without a value --json asks which fields there are, which is a question of people.
  if (jq !== undefined || (typeof json === 'string' && json !== '')) return 'json';
  return outputOr(new Settings(globals, env));
}

/** The same where the mistake is in the words themselves. */
export async function failureOutputOf(argv: readonly string[], env: Environment): Promise<Output> {
  const isSelection = valueIn(argv, /^--(?:json|jq)$/, /^--(?:json|jq)=(?=.)/) !== undefined;
  if (isSelection) return 'json';
  const none = Object.entries(GLOBAL_FLAGS).map(([key, flag]) => [key, flag.read([])] as const);
  const globals = Object.fromEntries(none) as GlobalValues;
  const profile = valueIn(argv, /^--profile$/, /^--profile=(?=.)/);
  return namedOutput(argv, env) ?? outputOr(new Settings({ ...globals, profile }, env));
}

/** Of settings that may be the failure themselves. */
async function outputOr(settings: Settings): Promise<Output> {
  return outputOf(settings).catch(() => 'auto');
}

/** What stands behind the flag or is joined to it; the first of them counts, and the name of another flag does not. */
function valueIn(argv: readonly string[], flag: RegExp, joined: RegExp): string | undefined {
  const at = argv.findIndex((word) => flag.test(word) || joined.test(word));
  const word = argv[at];
  if (word === undefined) return undefined;
  const value = flag.test(word) ? argv[at + 1] : word.replace(joined, '');
  return value?.startsWith('-') === true ? undefined : value;
}
