import type { Readable } from 'node:stream';
import { type Pager, type Sink, terminalSink } from './sink.ts';
import { wrappingSink } from './wrapping-sink.ts';

export const OUTPUTS = ['auto', 'tui', 'table', 'json', 'ndjson'] as const;
export type OutputFormat = (typeof OUTPUTS)[number];

export type Environment = Readonly<Record<string, string | undefined>>;

/** The streams themselves, for the server alone: it has a logger and a banner of its own. */
interface ServerStreams {
  stdout: { write(text: string): unknown; isTTY?: boolean };
  stderr: { write(text: string): unknown; isTTY?: boolean };
}

/** A terminal as it is, for screens that draw themselves. */
export interface Terminal {
  stdin: NodeJS.ReadStream;
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
  /** The environment that libraries of the screens look at. */
  env: Record<string, string | undefined>;
}

/** What the process offers, before anything is decided. */
export interface Host {
  env: Environment;
  cwd: string;
  stdin: Readable;
  stdout: Sink;
  stderr: Sink;
  streams: ServerStreams;
  /** Undefined when stdout is no terminal. */
  terminal: Terminal | undefined;
  stdinIsTerminal: boolean;
  stdoutIsTerminal: boolean;
  stderrIsTerminal: boolean;
  /** Columns of the terminal that stdout is, else of the one that stderr is; undefined when neither says. */
  columns: number | undefined;
  /** Epoch milliseconds. */
  now: () => number;
  /** Of this package. */
  version: () => string;
  /** Ends the command as Ctrl-C does: a screen that reads single keys gets the key and not the signal. */
  interrupt: () => void;
  /** Calls the listener at each Ctrl-\\ (SIGQUIT) until the function that it returns is called. */
  onQuitKey: (listener: () => void) => () => void;
  /** Calls the listener whenever the process goes on after Ctrl-Z, until the function that it returns is called. */
  onContinue: (listener: () => void) => () => void;
  /** Starts a pager on the terminal; undefined where there is none to start. */
  openPager: ((command: string) => Pager) | undefined;
}

/** What was asked for on the command line. */
interface OutputWishes {
  output: OutputFormat;
  plain: boolean;
  noColor: boolean;
  wide?: boolean;
}

/** `columns`: full width, no borders, one record a line. `blocks`: keys and values one below the other. */
type RecordStyle = 'table' | 'columns' | 'blocks' | 'json' | 'ndjson';

type EventStyle = 'tui' | 'lines' | 'json' | 'ndjson';

/** Of the JSON of records, what is wanted. */
export interface Selection {
  /** Names of members, in the order in which they are written. */
  readonly fields: readonly string[];
  /** A jq expression over all of it. */
  readonly jq: string | undefined;
}

/** Everything about input and output, decided once. Commands and renderers get this and never look at the process. */
export interface Io {
  env: Environment;
  cwd: string;
  stdin: Readable;
  /** Aborted when the command is canceled: reads of input reject with its reason. */
  signal: AbortSignal;
  stdout: Sink;
  stderr: Sink;
  streams: ServerStreams;
  /** How lists and records are written. */
  records: RecordStyle;
  /** How events of a stream are written. `tui` only where there is a `terminal`. */
  events: EventStyle;
  /** For screens; undefined where nothing may be redrawn. */
  terminal: Terminal | undefined;
  /** Undefined for whole records. */
  selection?: Selection;
  /** stdout carries data for a program: nothing but JSON may go there. */
  isData: boolean;
  /** Columns to fill; Infinity when nothing has to fit. */
  width: number;
  /** Tables show everything whole, however long their lines get. */
  wide: boolean;
  color: boolean;
  /** The user can be asked: stdin and stderr are terminals. */
  canAsk: boolean;
  stdinIsTerminal: boolean;
  stdoutIsTerminal: boolean;
  stderrIsTerminal: boolean;
  /** One line may be redrawn on stderr; otherwise progress is one line a step. */
  redraws: boolean;
  /** Progress may be shown on stderr: it is a terminal, and stdout carries no data for a program. */
  showsProgress: boolean;
  now: () => number;
  interrupt: () => void;
  onQuitKey: (listener: () => void) => () => void;
  onContinue: (listener: () => void) => () => void;
}

const NARROWEST_TABLE = 60;
const DEFAULT_COLUMNS = 80;

export function decideIo(host: Host, { output, plain, noColor, wide = false }: OutputWishes, signal: AbortSignal): Io {
  const { env, cwd, stdin, streams, stdinIsTerminal, stdoutIsTerminal, stderrIsTerminal, now } = host;
  const { interrupt, onQuitKey, onContinue } = host;
  // Asked for by name it is for people, behind whatever pipe: a pager shows it.
  const isForPeople = stdoutIsTerminal || output === 'tui';
  const isDumb = env.TERM === 'dumb';
  const isPlain = plain || isOn(env.SVC_PLAIN) || isOn(env.ACCESSIBLE) || isOn(env.INK_SCREEN_READER);
  const columns = host.columns ?? DEFAULT_COLUMNS;
  const width = isForPeople ? columns : Number.POSITIVE_INFINITY;
  const isData = output === 'json' || output === 'ndjson';
  const stdout = isForPeople ? terminalSink(host.stdout) : host.stdout;
  const said = stderrIsTerminal ? terminalSink(host.stderr) : host.stderr;
  const stderr = stderrIsTerminal && !isData ? wrappingSink(said, columns) : said;
  const records = isData ? output : recordStyle(isForPeople, output === 'table' ? false : isPlain || isDumb, width);
  const terminal = mayRedraw(host, { output, isPlain: isPlain || isDumb, width }) ? host.terminal : undefined;
  return {
    env,
    cwd,
    stdin,
    signal,
    stdout,
    stderr,
    streams,
    records,
    events: eventStyle({ output, plain, isForPeople, hasScreen: terminal !== undefined }),
    terminal,
    isData,
    width,
    wide,
    color: !noColor && hasColor(env, isForPeople && !isDumb),
    canAsk: stdinIsTerminal && stderrIsTerminal,
    stdinIsTerminal,
    stdoutIsTerminal,
    stderrIsTerminal,
    showsProgress: stderrIsTerminal && !isData,
    redraws: stderrIsTerminal && !isDumb && !isPlain && !isSet(env.CI) && !isData,
    now,
    interrupt,
    onQuitKey,
    onContinue,
  };
}

/** NO_COLOR wins over the variables that force color, those over what the output is. `CLICOLOR_FORCE=0` forces nothing. */
function hasColor({ NO_COLOR, FORCE_COLOR, CLICOLOR_FORCE }: Environment, otherwise: boolean): boolean {
  if (isSet(NO_COLOR)) return false;
  if (isSet(FORCE_COLOR)) return isOn(FORCE_COLOR);
  return isOn(CLICOLOR_FORCE) || otherwise;
}

/** A screen needs a terminal that can move the cursor. A narrow one, and CI, get one only when it is asked for by name. */
function mayRedraw(
  { env, terminal }: Host,
  { output, isPlain, width }: { output: OutputFormat; isPlain: boolean; width: number },
): boolean {
  if (terminal === undefined || isPlain) return false;
  if (output === 'tui') return true;
  return output === 'auto' && width >= NARROWEST_TABLE && !isSet(env.CI);
}

function eventStyle({
  output,
  plain,
  isForPeople,
  hasScreen,
}: {
  output: OutputFormat;
  plain: boolean;
  isForPeople: boolean;
  hasScreen: boolean;
}): EventStyle {
  if (output === 'json' || output === 'ndjson') return output;
  if (hasScreen) return 'tui';
  return !isForPeople && output !== 'table' && !plain ? 'ndjson' : 'lines';
}

function recordStyle(isForPeople: boolean, isPlain: boolean, width: number): RecordStyle {
  if (!isForPeople) return 'columns';
  return isPlain || width < NARROWEST_TABLE ? 'blocks' : 'table';
}

export function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}

/** Whether a variable that is a switch is on. */
export function isOn(value: string | undefined): boolean {
  return isSet(value) && value !== '0' && value !== 'false';
}
