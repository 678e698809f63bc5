import { type Logger as PinoLogger, pino, stdTimeFunctions } from 'pino';
import { redactContext, redactText } from './log-redaction.ts';
import { formatTextLine } from './log-text.ts';

/** The logger of the server and of Fastify. Context first, then the sentence: `logger.warn({ spaceId }, 'Index is gone')`. */
export type Logger = PinoLogger;

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal';

export interface LogStream {
  write(line: string): unknown;
  readonly isTTY?: boolean;
}

export interface LoggerOptions {
  level: LogLevel;
  /** `auto`: text when the stream is a terminal, else JSON lines. */
  format: 'auto' | 'text' | 'json';
  /** Standard error by default: standard output belongs to the banner and to what machines read. */
  stream?: LogStream;
  /** Overrides what the stream says of itself. */
  isTTY?: boolean;
  /** Colour in text lines; by default on a terminal unless NO_COLOR is set or TERM is dumb. */
  colour?: boolean;
}

/**
 * A logger that writes one line per entry with `time` (ISO 8601), `level`, `msg` and the context. Keys, passwords and
 * credentials are masked wherever they stand: by member name at any depth, and by form in every text.
 */
export function createLogger({ level, format, stream = process.stderr, ...options }: LoggerOptions): Logger {
  const isTTY = options.isTTY ?? stream.isTTY === true;
  const isText = format === 'text' || (format === 'auto' && isTTY);
  const colour = options.colour ?? (isTTY && !process.env.NO_COLOR && process.env.TERM !== 'dumb');
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
        stream.write(isText ? `${formatTextLine(line, { colour, loggerLevel: logger.level })}\n` : line);
      },
    },
  );
  return withRedactedBindings(logger);
}

/**
 * Sentences are built from texts of others, such as the message of a database driver, and can quote a secret. An entry
 * that is only an error gets its sentence here, because pino would take the unmasked one.
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

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
