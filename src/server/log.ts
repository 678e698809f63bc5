import { type Logger as PinoLogger, pino, stdTimeFunctions } from 'pino';

/** The logger of the server and of Fastify. Context first, then the sentence: `logger.warn({ spaceId }, 'Index is gone')`. */
export type Logger = PinoLogger;

type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal';

interface LogStream {
  write(line: string): unknown;
  readonly isTTY?: boolean;
}

export interface LoggerOptions {
  level: LogLevel;
  /** `auto`: text when the stream is a terminal, else JSON lines. */
  format: 'auto' | 'text' | 'json';
  /** Standard error by default: standard output belongs to the banner and to what machines read. */
  stream?: LogStream;
  /** Overrides the `isTTY` of the stream. */
  isTTY?: boolean;
  /** Color in text lines; by default on a terminal unless NO_COLOR is set or TERM is dumb. */
  color?: boolean;
}

/**
 * A logger that writes one line per entry with `time` (ISO 8601), `level`, `msg` and the context. Keys, passwords and
 * credentials are masked everywhere: by member name at any depth, and by pattern in every text.
 */
export function createLogger({ level, format, stream = process.stderr, ...options }: LoggerOptions): Logger {
  const isTTY = options.isTTY ?? stream.isTTY === true;
  const isText = format === 'text' || (format === 'auto' && isTTY);
  const color = options.color ?? (isTTY && !process.env.NO_COLOR && process.env.TERM !== 'dumb');
  const logger: Logger = pino(
    {
      level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      // Errors are made plain by the redaction, which also sees their causes.
      serializers: { err: (value: unknown) => value },
      formatters: { level: (label) => ({ level: label }), log: redactContext },
      hooks: { logMethod: redactMessage },
    },
    {
      write: (line: string) => {
        stream.write(isText ? `${formatTextLine(line, { color, loggerLevel: logger.level })}\n` : line);
      },
    },
  );
  return withRedactedBindings(logger);
}

/**
 * Messages may contain foreign text, such as that of a database driver, which can quote a secret. An entry that is only
 * an error gets its message here, because pino would take the unmasked one.
 */
function redactMessage(this: Logger, args: unknown[], method: (...args: unknown[]) => void): void {
  const [first, ...rest] = args;
  const context = first instanceof Error ? { err: first } : first;
  const error = isRecord(context) && context.err instanceof Error ? context.err : undefined;
  const values = rest.length === 0 && error !== undefined ? [error.message] : rest;
  const masked = [context, ...values].map((arg, index) => {
    if (typeof arg === 'string') return redactText(arg);
    return index > 0 && isRecord(arg) ? redactContext(arg) : arg;
  });
  method.apply(this, masked);
}

/** Pino formats the bindings of its root only; children inherit this method with the rest of the logger. */
function withRedactedBindings(logger: Logger): Logger {
  const { child } = logger;
  logger.child = function (this: Logger, bindings: Record<string, unknown>, ...rest: unknown[]) {
    return Reflect.apply(child, this, [redactContext(bindings), ...rest]);
  } as Logger['child'];
  return logger;
}

/** A child of a logger that is made when it is used first: most calls log nothing. */
export function lateChild(logger: Logger, bindings: Record<string, unknown>): Logger {
  let child: Logger | undefined;
  const made = (): Logger => {
    child ??= logger.child(bindings);
    return child;
  };
  // A child of it inherits from it, and keeps its own level and bindings.
  const late: Logger = new Proxy(logger, {
    get: (_, name, receiver) => Reflect.get(made(), name, receiver === late ? made() : receiver),
    set: (_, name, value, receiver) => Reflect.set(made(), name, value, receiver === late ? made() : receiver),
  });
  return late;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

const MASK = '********';
/** Deeper than any context that is logged on purpose; deeper members are left out. */
const MAX_DEPTH = 6;
const MAX_ITEMS = 100;
const MAX_CHARACTERS = 8192;

/** Names of members whose values are never shown, however deep they lie. */
const SECRET_NAME =
  /passw|secret|^authorization$|^(set-)?cookie$|credential|private.?key|^token$|(access|init|refresh|id).?token$|api.?key$|^x-service-metrics-key$/i;
/** Names that match above but hold nothing secret: ids of secrets, not secrets. */
const HARMLESS_NAME = /id$|ids$|count$|kind$/i;

/**
 * Secrets that can stand in the middle of any text: our keys, bearer tokens, passwords in URLs, private keys. The length
 * of a scheme is bounded so that a long text without one costs linear time.
 */
const SECRET_TEXT: readonly [RegExp, string][] = [
  [/\bsvc_[A-Za-z0-9]{16,}/g, `svc_${MASK}`],
  [/\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi, `$1 ${MASK}`],
  [/([a-z][a-z0-9+.-]{0,30}:\/\/[^\s:/@"']*):[^\s/"']+@/gi, `$1:${MASK}@`],
  [/(-----BEGIN [A-Z ]*PRIVATE KEY-----)[^-]*/g, `$1${MASK}`],
  [/([?&](?:password|sslpassword|api_?key|key|token|secret)=)[^\s&"'#]+/gi, `$1${MASK}`],
];

/** No pattern above matches without one of these; nearly all texts are ids and words and end here. */
const SECRET_HINT = /svc_|bearer|basic|:\/\/|PRIVATE KEY|[?&]/i;

/** The text with everything masked that looks like a secret. */
function redactText(text: string): string {
  if (!SECRET_HINT.test(text)) return text;
  return SECRET_TEXT.reduce((masked, [pattern, replacement]) => masked.replace(pattern, replacement), text);
}

/** A copy of a log context, ready for JSON: secrets masked, errors as plain records, bounded in depth and breadth. */
function redactContext(context: Record<string, unknown>): Record<string, unknown> {
  return redactMembers(Object.entries(context), 0, new Set([context]));
}

function bounded(text: string): string {
  return text.length <= MAX_CHARACTERS ? text : `${text.slice(0, MAX_CHARACTERS)}…`;
}

function redactMembers(
  entries: [string, unknown][],
  depth: number,
  path: ReadonlySet<object>,
): Record<string, unknown> {
  const masked = entries.slice(0, MAX_ITEMS).map(([name, value]): [string, unknown] => {
    const isSecret = SECRET_NAME.test(name) && !HARMLESS_NAME.test(name) && value !== undefined && value !== null;
    return [name, isSecret && typeof value !== 'boolean' ? MASK : redactValue(value, depth, path)];
  });
  return Object.fromEntries(masked);
}

function redactValue(value: unknown, depth: number, path: ReadonlySet<object>): unknown {
  if (typeof value === 'string') return redactText(bounded(value));
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (path.has(value) || depth >= MAX_DEPTH) return '[…]';
  const below = new Set(path).add(value);
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map((item) => redactValue(item, depth + 1, below));
  if (value instanceof Error) return redactMembers(errorEntries(value), depth + 1, below);
  if (isPlain(value)) return redactMembers(Object.entries(value), depth + 1, below);
  if ('toJSON' in value && typeof value.toJSON === 'function') return redactValue(value.toJSON(), depth + 1, below);
  return `[${value.constructor?.name ?? 'object'}]`;
}

/**
 * Whether an object is plain data. Walking a socket, a request or a pool would write the whole server into one line.
 */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/**
 * `message`, `stack` and `cause` of an error are not enumerable; the rest of it, such as a SQLSTATE, is. A failed connection
 * to a host with several addresses says what happened in `errors` only.
 */
function errorEntries(error: Error): [string, unknown][] {
  const { message, stack, cause } = error;
  const own = Object.entries(error).filter(([name]) => name !== 'name' && name !== 'cause');
  const entries: [string, unknown][] = [['type', error.name], ['message', message], ...own, ['stack', stack]];
  if (error instanceof AggregateError) entries.push(['errors', error.errors]);
  return cause === undefined ? entries : [...entries, ['cause', cause]];
}

/** Members that the line shows in fixed places. */
const FIXED = new Set(['time', 'level', 'msg']);

const COLORS: Record<string, number> = { trace: 90, debug: 90, info: 32, warn: 33, error: 31, fatal: 31 };
const DIM = 2;
/** Stacks make a line unreadable, so text shows them only from the level debug down; JSON lines always have them. */
const STACK_LEVELS = new Set(['trace', 'debug']);

interface TextLineOptions {
  color: boolean;
  /** The level the logger is set to; stacks are shown from debug down. */
  loggerLevel: string;
}

/** One JSON log line as one readable line: `time LEVEL message name=value …`, without line feed. */
function formatTextLine(json: string, { color, loggerLevel }: TextLineOptions): string {
  const record = JSON.parse(json) as Record<string, unknown>;
  const level = String(record.level);
  const paint = (text: string, code: number) => (color ? `\u001b[${code}m${text}\u001b[0m` : text);
  const withStack = STACK_LEVELS.has(loggerLevel);
  const context = Object.entries(record)
    .filter(([name]) => !FIXED.has(name))
    .map(([name, value]) => `${paint(`${name}=`, DIM)}${formatValue(value, withStack)}`);
  const head = [paint(String(record.time), DIM), paint(level.toUpperCase().padEnd(5), COLORS[level] ?? 0)];
  const message = record.msg === undefined ? [] : [printable(String(record.msg))];
  return [...head, ...message, ...context].join(' ');
}

function formatValue(value: unknown, withStack: boolean): string {
  if (typeof value === 'string') return /^[^\s"=\p{C}]+$/u.test(value) ? value : quote(value);
  if (!isError(value)) return printable(JSON.stringify(value));
  const shown = withStack ? value.stack : `${value.type}: ${value.message}`;
  const cause = isError(value.cause) ? ` cause=${formatValue(value.cause, withStack)}` : '';
  return `${quote(String(shown))}${cause}`;
}

interface ErrorRecord {
  type: string;
  message: string;
  stack?: unknown;
  cause?: unknown;
}

function isError(value: unknown): value is ErrorRecord {
  return typeof value === 'object' && value !== null && 'type' in value && 'message' in value && 'stack' in value;
}

function quote(text: string): string {
  return printable(JSON.stringify(text));
}

/** Escapes control characters: text of a client must neither break the line nor move the cursor of the terminal. */
function printable(text: string): string {
  return text.replace(/\p{C}/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `\\u${code.toString(16).padStart(4, '0')}`;
  });
}
