import { readFile } from 'node:fs/promises';
import { CommanderError } from 'commander';
import type { CommandContext, CommandModule } from './command.ts';
import { ConfigurationError } from './config/configuration-error.ts';
import { Settings } from './config/settings.ts';
import { EXIT, Interrupted, OutputClosed, usageError } from './failure.ts';
import { GLOBAL_FLAGS, type GlobalValues } from './global-flags.ts';
import { helpWords } from './help-words.ts';
import { decideIo, type Host, type Io, OUTPUTS, type Output } from './io.ts';
import { buildProgram, type Entry, type Invocation, readFlags } from './program.ts';
import { ENTRIES } from './registry.ts';
import { reportFailure } from './render/failure.ts';
import { openSession } from './session.ts';

const HELP_WIDTH = 100;

/** Runs one command line (without `node` and the script). Returns the exit code; never throws. */
export async function run(argv: readonly string[], host: Host, signal: AbortSignal): Promise<number> {
  // Until the flags are known, an error about them still has to come in the form that was asked for.
  const guess = decideIo(host, { output: guessOutput(argv, host), plain: false, noColor: false }, signal);
  let invocation: Invocation | undefined;
  try {
    const parsed = await parse(argv, host);
    if (parsed === undefined) return 0;
    invocation = parsed.invocation;
    return await execute(parsed.invocation, parsed.globals, host, signal);
  } catch (error) {
    return await failed(error, guess, {
      signal,
      path: invocation?.path ?? (await guessPath(argv)),
      debug: argv.includes('--debug'),
    });
  }
}

interface Parsed {
  invocation: Invocation;
  globals: GlobalValues;
}

/** What the arguments call for; undefined when help or the version was all. */
async function parse(argv: readonly string[], host: Host): Promise<Parsed | undefined> {
  let invocation: Invocation | undefined;
  let printed = '';
  const loaded = await loadNamed(ENTRIES, argv);
  const words = helpWords(argv, loaded);
  const program = buildProgram({
    entries: ENTRIES,
    loaded,
    version: await packageVersion(),
    helpWidth: Math.min(host.stdoutIsTerminal ? (host.columns ?? HELP_WIDTH) : HELP_WIDTH, HELP_WIDTH),
    print: (text) => {
      printed += text;
    },
    invoke: (called) => {
      invocation = called;
    },
  });
  try {
    await program.parseAsync([...words], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Commander's code for "no command given", which prints the help as an answer to a mistake.
    if (error.code === 'commander.help') {
      await host.stderr.write(printed);
      throw new HelpShown();
    }
    if (error.exitCode !== 0) throw usageErrorOf(error);
  }
  if (invocation !== undefined) return { invocation, globals: readFlags(program, GLOBAL_FLAGS) as GlobalValues };
  await host.stdout.write(printed);
  return undefined;
}

/** The help was the answer to a call that names no command: nothing more to say, exit 64. */
class HelpShown extends Error {}

/** Loads the modules of the entries whose names occur in the arguments: the one that is called is among them. */
async function loadNamed(entries: readonly Entry[], argv: readonly string[]): Promise<Map<string, CommandModule>> {
  const named = entries.filter(({ name }) => argv.includes(name));
  return new Map(await Promise.all(named.map(async (entry) => [entry.name, await entry.load()] as const)));
}

async function execute(
  { command, args, flags }: Invocation,
  globals: GlobalValues,
  host: Host,
  signal: AbortSignal,
): Promise<number> {
  const settings = new Settings(globals, host.env);
  const { plain, noColor } = globals;
  const io = decideIo(host, { output: await outputOf(settings), plain, noColor }, signal);
  const session = openSession({ io, settings, debug: globals.debug, signal });
  const context: CommandContext = { io, globals, settings, signal, client: session.client };
  try {
    return (await command.run(context, { args: args as never, flags: flags as never })) ?? 0;
  } finally {
    session.close();
  }
}

/** A config file that cannot be used is told by the commands that need it; the others, the server first, go on. */
async function outputOf(settings: Settings): Promise<Output> {
  try {
    return (await settings.output()).value;
  } catch (error) {
    if (error instanceof ConfigurationError) return 'auto';
    throw error;
  }
}

/** The command that was most likely meant, for the hint at its help when the arguments could not be read. */
async function guessPath(argv: readonly string[]): Promise<string | undefined> {
  const entry = ENTRIES.find(({ name }) => argv.includes(name));
  const module = await entry?.load();
  if (entry === undefined || module?.kind !== 'group') return entry?.name;
  const record = module.commands.find(({ name }) => argv.includes(name, argv.indexOf(entry.name) + 1));
  return record === undefined ? entry.name : `${entry.name} ${record.name}`;
}

function guessOutput(argv: readonly string[], host: Host): Output {
  const at = argv.findIndex((word) => word === '-o' || word === '--output');
  const joined = argv.find((word) => /^(-o|--output=)\w/.test(word))?.replace(/^(-o|--output=)/, '');
  const named = at === -1 ? joined : argv[at + 1];
  return OUTPUTS.find((output) => output === (named ?? host.env.SVC_OUTPUT)) ?? 'auto';
}

function usageErrorOf(error: CommanderError): Error {
  const [what = '', ...more] = error.message.replace(/^error: /, '').split('\n');
  const message = `${what.charAt(0).toUpperCase()}${what.slice(1)}`;
  return usageError(message, { details: more.join(' ').replace(/^\((.*)\)$/, '$1') });
}

interface FailureContext {
  signal: AbortSignal;
  path: string | undefined;
  debug: boolean;
}

async function failed(error: unknown, io: Io, { signal, path, debug }: FailureContext): Promise<number> {
  // A signal or a closed pipe makes whatever was under way fail; the reason is what counts.
  const cause: unknown = signal.aborted ? signal.reason : error;
  if (cause instanceof OutputClosed) return 0;
  if (cause instanceof Interrupted) return cause.exit;
  if (cause instanceof HelpShown) return EXIT.usage;
  try {
    return await reportFailure(cause, { io, path, debug });
  } catch (unwritable) {
    return unwritable instanceof OutputClosed ? 0 : EXIT.bug;
  }
}

async function packageVersion(): Promise<string> {
  const manifest: unknown = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
  const hasVersion = typeof manifest === 'object' && manifest !== null && 'version' in manifest;
  return hasVersion ? String(manifest.version) : 'unknown';
}
