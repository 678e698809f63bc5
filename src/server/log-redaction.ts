const MASK = '********';
/** Deeper than any context that is logged on purpose; what lies below is left out. */
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
export function redactText(text: string): string {
  if (!SECRET_HINT.test(text)) return text;
  return SECRET_TEXT.reduce((masked, [pattern, replacement]) => masked.replace(pattern, replacement), text);
}

/** A copy of a log context, ready for JSON: secrets masked, errors as plain records, bounded in depth and breadth. */
export function redactContext(context: Record<string, unknown>): Record<string, unknown> {
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

/** Sockets, requests and pools are no context: walking one would write the whole server into a line. */
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
