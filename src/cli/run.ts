import { CommanderError } from 'commander';
import { EXIT } from '../shared/exit-codes.ts';
import { openSession } from './kit/client/session.ts';
import type { CommandContext, CommandEntry } from './kit/command.ts';
import { ClientSettings } from './kit/config/settings.ts';
import { ConfigurationError, Interrupted, OutputClosed } from './kit/errors.ts';
import { failureOf, reportFailure } from './kit/failure.ts';
import { GLOBAL_FLAGS, type GlobalValues } from './kit/flags/global-flags.ts';
import { decideIo, type Environment, type Host, type Io, OUTPUTS, type OutputFormat } from './kit/output/io.ts';
import { type PagerWishes, pagerCommand, throughPager } from './kit/output/pager.ts';
import type { Pager } from './kit/output/sink.ts';
import { type Located, locate, requireKnown } from './parsing/locate.ts';
import { parseErrorOf } from './parsing/parse-errors.ts';
import { buildProgram, type Invocation, readFlags } from './parsing/program.ts';
import { ENTRIES } from './registry.ts';

/** Runs one command line (without `node` and the script). Returns the exit code; never throws. */
export async function run(
  argv: readonly string[],
  host: Host,
  signal: AbortSignal,
  entries: readonly CommandEntry[] = ENTRIES,
): Promise<number> {
  if (argv[0] === COMPLETE) return await answerShell(argv, host, signal);
  // Until the flags are known, an error about them still has to come in the form that was asked for.
  const wishes = { output: namedOutput(argv, host.env) ?? 'auto', plain: false, noColor: argv.includes('--no-color') };
  const guess = decideIo(host, wishes, signal);
  let located: Located | undefined;
  let parsed: Parsed | string | undefined;
  try {
    located = await locate(entries, argv);
    parsed = await parse(argv, { entries, located, io: guess, version: host.version() });
    if (typeof parsed === 'string') return await printPage(parsed, argv, guess, host);
    return await execute(parsed.invocation, parsed.globals, host, signal);
  } catch (error) {
    const output = await (typeof parsed === 'object'
      ? failureOutput(parsed.invocation, parsed.globals, host.env)
      : failureOutputOf(argv, host.env));
    const io = decideIo(host, { ...wishes, output }, signal);
    const given = typeof parsed === 'object' ? parsed.invocation.given : [];
    return await failed(error, io, { signal, located, given, debug: argv.includes('--debug') });
  }
}

/** The hidden command that the completion scripts of the shells call. */
const COMPLETE = '__complete';

async function answerShell(argv: readonly string[], host: Host, signal: AbortSignal): Promise<number> {
  const { complete: answer } = await import('./completion/complete.ts');
  return await answer(argv.slice(1), { host, signal, entries: ENTRIES });
}

interface Parsed {
  invocation: Invocation;
  globals: GlobalValues;
}

/** What the arguments call for; a text when help or the version was all. */
async function parse(
  argv: readonly string[],
  { entries, located, io, version }: { entries: readonly CommandEntry[]; located: Located; io: Io; version: string },
): Promise<Parsed | string> {
  await requireKnown(entries, argv, located);
  let invocation: Invocation | undefined;
  let printed = '';
  const program = buildProgram({
    entries,
    located,
    version,
    style: io,
    print: (text) => {
      printed += text;
    },
    invoke: (called) => {
      invocation = called;
    },
  });
  try {
    await program.parseAsync([...argv], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Commander's code for "no command given", which prints the help as an answer to a mistake.
    if (error.code === 'commander.help') {
      await io.stderr.write(printed);
      throw new HelpShown();
    }
    if (error.exitCode !== 0) throw parseErrorOf(error, { words: argv, located, program });
  }
  if (invocation !== undefined) return { invocation, globals: readFlags(program, GLOBAL_FLAGS) as GlobalValues };
  return printed;
}

/** Help, which comes before any flag has been read. */
async function printPage(text: string, argv: readonly string[], io: Io, host: Host): Promise<number> {
  const wishes = { plain: argv.includes('--plain'), noPager: argv.includes('--no-pager') };
  await throughPager(io, pagerOf(host, wishes), ({ stdout }) => stdout.write(text));
  return EXIT.ok;
}

function pagerOf(host: Host, wishes: PagerWishes): (() => Pager) | undefined {
  const command = pagerCommand(host, wishes);
  const { openPager } = host;
  return command === undefined || openPager === undefined ? undefined : () => openPager(command);
}

/** The help was the answer to a call that names no command: nothing more to say, exit 64. */
class HelpShown extends Error {}

async function execute(
  { command, args, flags }: Invocation,
  globals: GlobalValues,
  host: Host,
  signal: AbortSignal,
): Promise<number> {
  const settings = new ClientSettings(globals, host.env);
  const { plain, noColor, noPager, wide } = globals;
  const io = decideIo(host, { output: await outputOf(settings), plain, noColor, wide }, signal);
  prepareScreens(io);
  const session = openSession({ io, settings, debug: globals.debug, signal, needsKey: command.needsKey ?? true });
  // A pager waits for an end, which what is watched does not have.
  const isPaged = command.isPaged === true && flags.watch !== true;
  const pager = isPaged ? pagerOf(host, { plain, noPager }) : undefined;
  try {
    return await throughPager(io, pager, async (paged) => {
      const context: CommandContext = { io: paged, globals, settings, signal, client: session.client };
      return (await command.run(context, { args: args as never, flags: flags as never })) ?? 0;
    });
  } finally {
    session.close();
  }
}

interface FailureContext {
  signal: AbortSignal;
  located: Located | undefined;
  given: readonly string[];
  debug: boolean;
}

async function failed(error: unknown, io: Io, { signal, located, given, debug }: FailureContext): Promise<number> {
  // A signal or a closed pipe makes whatever was under way fail; the reason is what counts.
  const cause: unknown = signal.aborted ? signal.reason : error;
  const silent = silentExit(cause);
  if (silent !== undefined) return silent;
  try {
    const { path, record } = located ?? {};
    return await reportFailure(cause, { io, path: path || undefined, record, given, debug });
  } catch (unwritable) {
    // The reason of the signal, which is the failure itself where stdout and stderr are one terminal that is gone.
    return silentExit(unwritable) ?? failureOf(unwritable).exit;
  }
}

/** The exit code of an end that has nothing to say; undefined for a failure. */
function silentExit(cause: unknown): number | undefined {
  if (cause instanceof OutputClosed) return EXIT.ok;
  if (cause instanceof Interrupted) return cause.exit;
  return cause instanceof HelpShown ? EXIT.usage : undefined;
}

/** A config file that cannot be used is told by the commands that need it; the others, the server first, go on. */
async function outputOf(settings: ClientSettings): Promise<OutputFormat> {
  try {
    return (await settings.output()).value;
  } catch (error) {
    if (error instanceof ConfigurationError) return 'auto';
    throw error;
  }
}

/** The form that the words, not parsed yet, or the environment name; undefined when they name none. */
function namedOutput(argv: readonly string[], env: Environment): OutputFormat | undefined {
  const named = valueIn(argv, /^(?:-o|--output)$/, /^(?:-o|--output=)(?=\w)/) ?? env.SVC_OUTPUT;
  return OUTPUTS.find((output) => output === named);
}

/** The form of the output that a command would have had: its failure has the same. */
async function failureOutput(
  { flags: { json, jq } }: Invocation,
  globals: GlobalValues,
  env: Environment,
): Promise<OutputFormat> {
  // Without a value --json asks which fields there are, which is a question of people.
  if (jq !== undefined || (typeof json === 'string' && json !== '')) return 'json';
  return outputOr(new ClientSettings(globals, env));
}

/** The same where the mistake is in the words themselves. */
async function failureOutputOf(argv: readonly string[], env: Environment): Promise<OutputFormat> {
  const isSelection = valueIn(argv, /^--(?:json|jq)$/, /^--(?:json|jq)=(?=.)/) !== undefined;
  if (isSelection) return 'json';
  const none = Object.entries(GLOBAL_FLAGS).map(([key, flag]) => [key, flag.read([])] as const);
  const globals = Object.fromEntries(none) as GlobalValues;
  const profile = valueIn(argv, /^--profile$/, /^--profile=(?=.)/);
  return namedOutput(argv, env) ?? outputOr(new ClientSettings({ ...globals, profile }, env));
}

/** Of settings that may be the failure themselves. */
async function outputOr(settings: ClientSettings): Promise<OutputFormat> {
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

/** Tells the libraries of the screens what was decided here. They look once, when they are loaded: call it before that. */
function prepareScreens({ terminal, color }: Pick<Io, 'terminal' | 'color'>): void {
  if (terminal === undefined) return;
  // Under CI there is a terminal only when it was asked for by name; Ink would draw nothing before its end.
  terminal.env.CI = 'false';
  // Ink's colors do not know NO_COLOR, and stop at the mere presence of CI. Only the 16 named ones are used.
  terminal.env.FORCE_COLOR = color ? (terminal.env.FORCE_COLOR ?? '1') : '0';
}
