import type { Readable } from 'node:stream';
import type { Pager } from './pager.ts';
import { type Sink, terminalSink } from './sink.ts';

export const OUTPUTS = ['auto', 'tui', 'table', 'json', 'ndjson'] as const;
export type Output = (typeof OUTPUTS)[number];

export type Environment = Readonly<Record<string, string | undefined>>;

/** The streams themselves, for the server alone: it has a logger and a banner of its own. */
export interface ServerStreams {
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
  /** Columns of the terminal, undefined when it does not say. */
  columns: number | undefined;
  /** Epoch milliseconds. */
  now: () => number;
  /** Ends the command as Ctrl-C does: a screen that reads single keys gets the key and not the signal. */
  interrupt: () => void;
  /** Calls the listener at each Ctrl-\\ (SIGQUIT) until the function that it returns is called. */
  onQuitKey: (listener: () => void) => () => void;
  /** Starts a pager on the terminal; undefined where there is none to start. */
  openPager: ((command: string) => Pager) | undefined;
}

/** What was asked for on the command line. */
export interface OutputWishes {
  output: Output;
  plain: boolean;
  noColor: boolean;
  wide?: boolean;
}

/** `columns`: full width, no borders, one record a line. `blocks`: keys and values one below the other. */
export type RecordStyle = 'table' | 'columns' | 'blocks' | 'json' | 'ndjson';

export type EventStyle = 'tui' | 'lines' | 'json' | 'ndjson';

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
  /** Aborted when the command is cancelled: whoever waits for input ends with its reason. */
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
  /** A question can be put to someone: stdin and stderr are terminals. */
  canAsk: boolean;
  stdinIsTerminal: boolean;
  stdoutIsTerminal: boolean;
  stderrIsTerminal: boolean;
  /** One line may be redrawn on stderr; otherwise progress is one line a step. */
  redraws: boolean;
  now: () => number;
  interrupt: () => void;
  onQuitKey: (listener: () => void) => () => void;
}

const NARROWEST_TABLE = 60;

export function decideIo(host: Host, { output, plain, noColor, wide = false }: OutputWishes, signal: AbortSignal): Io {
  const { env, cwd, stdin, streams, stdinIsTerminal, stdoutIsTerminal, stderrIsTerminal, now } = host;
  const { interrupt, onQuitKey } = host;
  const stdout = stdoutIsTerminal ? terminalSink(host.stdout) : host.stdout;
  const stderr = stderrIsTerminal ? terminalSink(host.stderr) : host.stderr;
  const isDumb = env.TERM === 'dumb';
  const isPlain = plain || isOn(env.SVC_PLAIN) || isOn(env.ACCESSIBLE) || isOn(env.INK_SCREEN_READER);
  const width = stdoutIsTerminal ? (host.columns ?? 80) : Number.POSITIVE_INFINITY;
  const isData = output === 'json' || output === 'ndjson';
  const records = isData
    ? output
    : recordStyle(stdoutIsTerminal, output === 'table' ? false : isPlain || isDumb, width);
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
    events: eventStyle({ output, plain, stdoutIsTerminal, hasScreen: terminal !== undefined }),
    terminal,
    isData,
    width,
    wide,
    color: stdoutIsTerminal && !noColor && !isDumb && !isSet(env.NO_COLOR),
    canAsk: stdinIsTerminal && stderrIsTerminal,
    stdinIsTerminal,
    stdoutIsTerminal,
    stderrIsTerminal,
    redraws: stderrIsTerminal && !isDumb && !isPlain && !isSet(env.CI) && !isData,
    now,
    interrupt,
    onQuitKey,
  };
}

/** A screen needs a terminal that can move the cursor. A narrow one, and CI, get one only when it is asked for by name. */
function mayRedraw(
  { env, terminal }: Host,
  { output, isPlain, width }: { output: Output; isPlain: boolean; width: number },
): boolean {
  if (terminal === undefined || isPlain) return false;
  if (output === 'tui') return true;
  return output === 'auto' && width >= NARROWEST_TABLE && !isSet(env.CI);
}

function eventStyle({
  output,
  plain,
  stdoutIsTerminal,
  hasScreen,
}: {
  output: Output;
  plain: boolean;
  stdoutIsTerminal: boolean;
  hasScreen: boolean;
}): EventStyle {
  if (output === 'json' || output === 'ndjson') return output;
  if (hasScreen) return 'tui';
  return !stdoutIsTerminal && output !== 'table' && !plain ? 'ndjson' : 'lines';
}

function recordStyle(isTerminal: boolean, isPlain: boolean, width: number): RecordStyle {
  if (!isTerminal) return 'columns';
  return isPlain || width < NARROWEST_TABLE ? 'blocks' : 'table';
}

export function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}

/** Whether a variable that is a switch is on. */
export function isOn(value: string | undefined): boolean {
  return isSet(value) && value !== '0' && value !== 'false';
}
