/** Members that the line shows in fixed places. */
const FIXED = new Set(['time', 'level', 'msg']);

const COLOURS: Record<string, number> = { trace: 90, debug: 90, info: 32, warn: 33, error: 31, fatal: 31 };
const DIM = 2;
/** Stacks make a line unreadable; who wants them asks for debug or for JSON lines. */
const STACK_LEVELS = new Set(['trace', 'debug']);

export interface TextLineOptions {
  colour: boolean;
  /** The level the logger is set to; stacks are shown from debug down. */
  loggerLevel: string;
}

/** One JSON log line as one readable line: `time LEVEL message name=value …`, without line feed. */
export function formatTextLine(json: string, { colour, loggerLevel }: TextLineOptions): string {
  const record = JSON.parse(json) as Record<string, unknown>;
  const level = String(record.level);
  const paint = (text: string, code: number) => (colour ? `\u001b[${code}m${text}\u001b[0m` : text);
  const withStack = STACK_LEVELS.has(loggerLevel);
  const context = Object.entries(record)
    .filter(([name]) => !FIXED.has(name))
    .map(([name, value]) => `${paint(`${name}=`, DIM)}${formatValue(value, withStack)}`);
  const head = [paint(String(record.time), DIM), paint(level.toUpperCase().padEnd(5), COLOURS[level] ?? 0)];
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

/** What a user sent must neither break the line nor move the terminal's cursor. */
function printable(text: string): string {
  return text.replace(/\p{C}/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `\\u${code.toString(16).padStart(4, '0')}`;
  });
}
