import { scalar, type ValueType } from './value-type.ts';

export interface DatabaseUrlParts {
  user: string | undefined;
  password: string | undefined;
}

const PREFIX = /^(jdbc:)?postgresql:\/\/|^postgres:\/\//;
const MASK = '********';

/**
 * The credentials in a database URL, percent-decoded; undefined when the text is no such URL. They stand before the
 * host or, as JDBC writes them, in the query. Everything else about the URL is the store's business.
 */
export function databaseUrlParts(text: string): DatabaseUrlParts | undefined {
  const url = asUrl(text);
  if (url === undefined) return undefined;
  const decoded = (part: string) => (part === '' ? undefined : decode(part));
  return {
    user: decoded(url.username) ?? url.searchParams.get('user') ?? undefined,
    password: decoded(url.password) ?? url.searchParams.get('password') ?? undefined,
  };
}

/** The URL with every password in it masked; all of it is masked when it cannot be taken apart. */
export function maskDatabaseUrl(text: string): string {
  const url = asUrl(text);
  if (url === undefined) return MASK;
  if (url.password !== '') url.password = MASK;
  for (const key of [...url.searchParams.keys()]) {
    if (/password/i.test(key)) url.searchParams.set(key, MASK);
  }
  return text.startsWith('jdbc:') ? `jdbc:${url.href}` : url.href;
}

/** The problem never quotes the text: it may hold a password. */
export const databaseUrl: ValueType<string> = scalar({
  placeholder: '<url>',
  parse: (text) => {
    const value = text.trim();
    if (!PREFIX.test(value)) return { problem: 'must begin with postgresql:// or jdbc:postgresql://' };
    if (asUrl(value) !== undefined) return { value };
    return { problem: 'is not a valid URL; special characters in user and password must be percent-encoded' };
  },
});

function asUrl(text: string): URL | undefined {
  if (!PREFIX.test(text)) return undefined;
  const bare = text.replace(/^jdbc:/, '');
  return URL.canParse(bare) ? new URL(bare) : undefined;
}

/** A lone `%` is not an escape; such a password is taken as it stands. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
