import { isObject } from '../../../shared/json/parse.ts';
import { TLS_MODES, type TlsMode } from '../flags/global-flags.ts';
import { OUTPUTS, type OutputFormat } from '../output/io.ts';

/** What one profile holds; what is missing comes from the defaults. */
export interface Profile {
  readonly server?: string;
  readonly apiKey?: string;
  readonly tls?: TlsMode;
  readonly output?: OutputFormat;
  /** Its server has been reached over TLS. */
  readonly tlsSeen?: boolean;
  /** SHA-256 of the last certificate that was met unverified, or that is pinned: upper-case hexadecimal pairs, colons between. */
  readonly certificateSha256?: string;
}

export interface Config {
  readonly currentProfile: string | undefined;
  readonly profiles: ReadonlyMap<string, Profile>;
}

export const EMPTY_CONFIG: Config = { currentProfile: undefined, profiles: new Map() };

/** Letters, digits, dot, dash and underscore; it begins with a letter or digit. */
export function isProfileName(name: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name);
}

/** How each field of a profile is checked: what it has to be, in words, and whether a value is that. */
const FIELDS: Readonly<Record<keyof Profile, { what: string; accepts: (value: unknown) => boolean }>> = {
  server: { what: 'a string', accepts: isText },
  apiKey: { what: 'a string', accepts: isText },
  tls: { what: `one of ${TLS_MODES.join(', ')}`, accepts: (value) => TLS_MODES.some((mode) => mode === value) },
  output: { what: `one of ${OUTPUTS.join(', ')}`, accepts: (value) => OUTPUTS.some((output) => output === value) },
  tlsSeen: { what: 'true or false', accepts: (value) => typeof value === 'boolean' },
  certificateSha256: {
    what: 'a SHA-256 like AB:CD:…',
    accepts: (value) => isText(value) && /^[0-9A-F]{2}(:[0-9A-F]{2}){31}$/.test(value),
  },
};

/**
 * Reads the text of a config file.
 *
 * @throws Error whose message says in words what is wrong, and where.
 */
export function parseConfig(text: string): Config {
  const root = objectOf(parseJson(text), 'it');
  refuseOthers(root, ['currentProfile', 'profiles'], '');
  const { currentProfile, profiles = {} } = root;
  if (currentProfile !== undefined && !isText(currentProfile)) throw new Error('currentProfile is not a string');
  const entries = Object.entries(objectOf(profiles, 'profiles'));
  return {
    currentProfile,
    profiles: new Map(entries.map(([name, value]) => [name, profileOf(value, `profiles.${name}`)])),
  };
}

/** The text of the file: indented, for people look into it. */
export function configText({ currentProfile, profiles }: Config): string {
  return `${JSON.stringify({ currentProfile, profiles: Object.fromEntries(profiles) }, undefined, 2)}\n`;
}

function profileOf(value: unknown, path: string): Profile {
  const profile = objectOf(value, path);
  refuseOthers(profile, Object.keys(FIELDS), `${path}.`);
  for (const [name, { what, accepts }] of Object.entries(FIELDS)) {
    if (profile[name] !== undefined && !accepts(profile[name])) throw new Error(`${path}.${name} is not ${what}`);
  }
  return profile;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own words quote the text around the mistake, which may be a key.
    throw new Error('it is not JSON');
  }
}

function objectOf(value: unknown, what: string): Record<string, unknown> {
  if (!isObject(value)) throw new Error(`${what} is not an object`);
  return Object.fromEntries(Object.entries(value));
}

function refuseOthers(object: Readonly<Record<string, unknown>>, known: readonly string[], path: string): void {
  const other = Object.keys(object).find((name) => !known.includes(name));
  if (other !== undefined) throw new Error(`${path}${other} is not a known field; the fields are ${known.join(', ')}`);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
