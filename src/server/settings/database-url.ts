import { scalar, type ValueType } from './value-type.ts';

const SSL_MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;

/** libpq's meaning: allow and prefer fall back, require encrypts unchecked, verify-ca and verify-full check. */
type SslMode = (typeof SSL_MODES)[number];

/** A database as its URL describes it. */
export interface DatabaseTarget {
  /** Name, address without brackets, or the directory of a UNIX socket. */
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly password: string | undefined;
  readonly sslMode: SslMode;
  /** PEM file of the authorities to trust instead of the system's. */
  readonly sslRootCert: string | undefined;
  readonly connectTimeoutMs: number;
  /** Schema names, unquoted; empty leaves the role's own setting. */
  readonly searchPath: readonly string[];
  /** Parameters of the URL that have no meaning here, for the log. */
  readonly ignored: readonly string[];
}

/** User and password; those that stand beside a URL win over the URL's own. */
interface Credentials {
  readonly user?: string | undefined;
  readonly password?: string | undefined;
}

const DEFAULT_CONNECT_TIMEOUT_S = 10;
const FORMS = 'jdbc:postgresql://host:port/database or postgresql://user:password@host:port/database';

/** A URL that cannot be used; its message is a phrase that follows the setting's name, without the URL: it may hold a password. */
export class DatabaseUrlError extends Error {
  override readonly name = 'DatabaseUrlError';
}

/** Known parameters by lower-case name; JDBC and libpq spell some differently. */
const PARAMETERS: ReadonlyMap<string, string> = new Map([
  ['user', 'user'],
  ['password', 'password'],
  ['host', 'host'],
  ['sslmode', 'sslmode'],
  ['ssl', 'ssl'],
  ['sslrootcert', 'sslrootcert'],
  ['connecttimeout', 'connectTimeout'],
  ['connect_timeout', 'connectTimeout'],
  ['currentschema', 'currentSchema'],
]);

function splitParameters(search: URLSearchParams) {
  const known: Record<string, string> = {};
  const ignored: string[] = [];
  for (const [name, value] of search) {
    const key = PARAMETERS.get(name.toLowerCase());
    if (key === undefined) ignored.push(name);
    else known[key] = value;
  }
  return { known, ignored };
}

function parseUrl(text: string): URL {
  const plain = text.trim().replace(/^jdbc:/i, '');
  if (!/^postgres(ql)?:\/\//i.test(plain)) throw new DatabaseUrlError(`must have the form ${FORMS}`);
  // With a scheme that WHATWG calls special, hosts are checked and an empty one is refused; postgresql is not special.
  // `//user@/db?host=/dir` has an empty host behind credentials, which no scheme allows: give it a name to drop again.
  const filled = plain.replace(/^([a-z]+:\/\/(?:[^@/?#]*@)?)(?=[/?#:]|$)/i, '$1localhost');
  // The error of `new URL` is not passed on, as it contains the text and with it the password.
  if (URL.canParse(filled)) return new URL(filled);
  throw new DatabaseUrlError(`cannot be read; its form is ${FORMS}, with special characters percent-encoded`);
}

function decode(text: string, what: string): string {
  try {
    return decodeURIComponent(text);
  } catch (cause) {
    throw new DatabaseUrlError(`the ${what} has a broken percent-encoding`, { cause });
  }
}

function sslModeOf(known: Readonly<Record<string, string>>): SslMode {
  const given = known.sslmode?.toLowerCase();
  // `ssl=true` is JDBC's older spelling of a checked connection.
  if (given === undefined) return known.ssl === 'true' || known.ssl === '' ? 'verify-full' : 'prefer';
  const mode = SSL_MODES.find((candidate) => candidate === given);
  if (mode === undefined) {
    throw new DatabaseUrlError(`sslmode must be one of ${SSL_MODES.join(', ')}`);
  }
  return mode;
}

function connectTimeoutOf(text: string | undefined): number {
  if (text === undefined) return DEFAULT_CONNECT_TIMEOUT_S * 1000;
  const seconds = Number(text);
  if (!Number.isInteger(seconds) || seconds < 0 || text.trim() === '') {
    throw new DatabaseUrlError('connectTimeout must be an integer, in seconds');
  }
  // Zero means "no limit" in JDBC. Every wait here has a bound, so it means the longest that TCP itself would try.
  return (seconds === 0 ? 120 : Math.min(seconds, 120)) * 1000;
}

/** Splits `currentSchema`: names separated by commas, each may be in double quotes. */
function schemasOf(text: string | undefined): string[] {
  const names = text?.match(/"(?:[^"]|"")*"|[^,]+/g) ?? [];
  return names
    .map((name) => name.trim())
    .map((name) => (name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name))
    .filter((name) => name !== '');
}

/** A part that is empty counts as left out. */
function credentialsOf(url: URL, known: Readonly<Record<string, string>>): Credentials {
  return {
    user: decode(url.username, 'user') || known.user || undefined,
    password: decode(url.password, 'password') || known.password || undefined,
  };
}

/** The user and password that the URL itself names, before the host or, as JDBC writes them, in the query. */
export function credentialsInUrl(text: string): Credentials {
  const url = parseUrl(text);
  return credentialsOf(url, splitParameters(url.searchParams).known);
}

/**
 * Reads `jdbc:postgresql://…`, `postgresql://…` or `postgres://…`. Throws DatabaseUrlError. The user falls back to the
 * URL's and then fails; the database's name falls back to the user's, as in libpq.
 */
export function parseDatabaseUrl(text: string, credentials: Credentials = {}): DatabaseTarget {
  const url = parseUrl(text);
  const { known, ignored } = splitParameters(url.searchParams);
  const own = credentialsOf(url, known);
  const user = credentials.user ?? own.user;
  if (user === undefined || user === '') {
    throw new DatabaseUrlError('the user is missing');
  }
  const path = decode(url.pathname.replace(/^\//, ''), 'database name');
  if (path.includes('/')) throw new DatabaseUrlError('must end in one database name');
  return {
    host: known.host ?? decode(url.hostname.replace(/^\[(.*)\]$/, '$1'), 'host'),
    port: url.port === '' ? 5432 : Number(url.port),
    database: path === '' ? user : path,
    user,
    password: credentials.password ?? own.password,
    sslMode: sslModeOf(known),
    sslRootCert: known.sslrootcert,
    connectTimeoutMs: connectTimeoutOf(known.connectTimeout),
    searchPath: schemasOf(known.currentSchema),
    ignored,
  };
}

/** Stands for a secret wherever settings are shown. */
export const MASK = '********';

/** The URL with every password in it masked; a URL that does not parse is masked as a whole. */
export function maskDatabaseUrl(text: string): string {
  const bare = text.replace(/^jdbc:/i, '');
  if (!URL.canParse(bare)) return MASK;
  const url = new URL(bare);
  if (url.password !== '') url.password = MASK;
  for (const key of [...url.searchParams.keys()]) {
    if (/password/i.test(key)) url.searchParams.set(key, MASK);
  }
  return bare === text ? url.href : `jdbc:${url.href}`;
}

/** A URL that the store can use once it has a user. */
export const databaseUrl: ValueType<string> = scalar({
  placeholder: '<url>',
  parse: (text) => {
    const value = text.trim();
    try {
      // Whether a user is given is checked by a rule, which also knows the setting of the user.
      parseDatabaseUrl(value, { user: 'placeholder' });
      return { value };
    } catch (error) {
      if (!(error instanceof DatabaseUrlError)) throw error;
      return { problem: error.message };
    }
  },
});
