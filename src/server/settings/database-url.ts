import { DatabaseUrlError, parseDatabaseUrl } from './postgres-url.ts';
import { scalar, type ValueType } from './value-type.ts';

const MASK = '********';

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

/** A URL that the store can use once it has a user. The problem never quotes the text: it may hold a password. */
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
      return { problem: error.message.replace(/^The database URL /, '').replace(/\.$/, '') };
    }
  },
});
