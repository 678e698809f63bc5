import { ConfigurationError, usageError } from '../errors.ts';
import { type GlobalValues, TLS_MODES, type TlsMode } from '../flags/global-flags.ts';
import { choiceError } from '../flags/kinds.ts';
import { type Environment, isOn, isSet, OUTPUTS, type OutputFormat } from '../output/io.ts';
import type { Profile } from './config.ts';
import { type ConfigPlace, configPlace, type ReadConfig, readConfig } from './config-file.ts';

export const DEFAULT_SERVER = 'localhost:9090';

/** A value and where it comes from, in words: `flag --server`, `environment SVC_SERVER`, `profile local`, `default`. */
export interface SourcedValue<T> {
  readonly value: T;
  readonly source: string;
}

interface NamedProfile {
  readonly name: string;
  readonly profile: Profile;
}

/** Where an API key is found; the file is read only when the key is needed. */
type KeyPlace = { kind: 'file'; file: string } | { kind: 'text'; text: string } | undefined;

/**
 * What the flags, the environment, the profile and the defaults come to: the one place that decides between them. The
 * config file is read when something can only be found there, so that help, the server and a command whose flags say
 * everything do without it.
 */
export class ClientSettings {
  readonly place: ConfigPlace | undefined;
  readonly #globals: GlobalValues;
  readonly #env: Environment;
  #file: Promise<ReadConfig> | undefined;
  #mayLackProfile = false;

  constructor(globals: GlobalValues, env: Environment) {
    this.#globals = globals;
    this.#env = env;
    this.place = configPlace(env);
  }

  /** @throws ConfigurationError when the file cannot be read or makes no sense. */
  async file(): Promise<ReadConfig | undefined> {
    if (this.place === undefined) return undefined;
    this.#file ??= readConfig(this.place.path);
    return this.#file;
  }

  /** A warning about the file when others may read it. */
  async warning(): Promise<string | undefined> {
    if (this.place === undefined || (await this.file())?.isOpenToOthers !== true) return undefined;
    const { path } = this.place;
    return `Other users of this machine may read the keys in ${path}. To forbid it: chmod 600 ${path}`;
  }

  /** From now on a profile that does not exist counts as an empty one: it is about to be made. */
  allowNewProfile(): void {
    this.#mayLackProfile = true;
  }

  async profileName(): Promise<SourcedValue<string | undefined>> {
    const chosen = this.#flag('profile', this.#globals.profile) ?? this.#text('SVC_PROFILE');
    if (chosen !== undefined) return chosen;
    const current = (await this.file())?.config.currentProfile;
    return current === undefined
      ? { value: undefined, source: 'default' }
      : { value: current, source: 'the config file' };
  }

  /** @throws ConfigurationError when the one that was chosen does not exist. */
  async profile(): Promise<NamedProfile | undefined> {
    const { value: name, source } = await this.profileName();
    if (name === undefined) return undefined;
    const profiles = (await this.file())?.config.profiles ?? new Map<string, Profile>();
    const profile = profiles.get(name);
    if (profile !== undefined) return { name, profile };
    if (this.#mayLackProfile) return undefined;
    throw unknownProfile(name, [...profiles.keys()], source);
  }

  async server(): Promise<SourcedValue<string>> {
    const named = this.#flag('server', this.#globals.server) ?? this.#text('SVC_SERVER');
    return named ?? this.#fromProfile((profile) => profile.server, DEFAULT_SERVER);
  }

  async tls(): Promise<SourcedValue<TlsMode>> {
    const named = this.#flag('tls', this.#globals.tls) ?? this.#choice('SVC_TLS', TLS_MODES);
    return named ?? this.#fromProfile((profile) => profile.tls, 'auto');
  }

  async apiKey(): Promise<SourcedValue<KeyPlace>> {
    const { apiKey, apiKeyFile } = this.#globals;
    if (apiKey !== undefined && apiKeyFile !== undefined)
      throw usageError('Give --api-key or --api-key-file, not both');
    if (apiKeyFile !== undefined) return { value: { kind: 'file', file: apiKeyFile }, source: 'flag --api-key-file' };
    const named = this.#flag('api-key', apiKey) ?? this.#text('SVC_API_KEY');
    const { value, source } = named ?? (await this.#fromProfile((profile) => profile.apiKey, undefined));
    return { value: value === undefined ? undefined : { kind: 'text', text: value }, source };
  }

  async output(): Promise<SourcedValue<OutputFormat>> {
    const named = this.#flag('output', this.#globals.output) ?? this.#choice('SVC_OUTPUT', OUTPUTS);
    return named ?? this.#fromProfile((profile) => profile.output, 'auto');
  }

  plain(): SourcedValue<boolean> {
    return this.#toggle('plain', this.#globals.plain, 'SVC_PLAIN', isOn);
  }

  noColor(): SourcedValue<boolean> {
    return this.#toggle('no-color', this.#globals.noColor, 'NO_COLOR', isSet);
  }

  #flag<T>(name: string, value: T | undefined): SourcedValue<T> | undefined {
    return value === undefined ? undefined : { value, source: `flag --${name}` };
  }

  #variable<T>(name: string, read: (text: string) => T): SourcedValue<T> | undefined {
    const text = this.#env[name];
    return text === undefined || text === '' ? undefined : { value: read(text), source: `environment ${name}` };
  }

  #text(name: string): SourcedValue<string> | undefined {
    return this.#variable(name, (text) => text);
  }

  #choice<const C extends string>(name: string, choices: readonly C[]): SourcedValue<C> | undefined {
    return this.#variable(name, (text) => {
      const found = choices.find((choice) => choice === text);
      if (found !== undefined) return found;
      throw choiceError(name, choices, text);
    });
  }

  #toggle(flag: string, given: boolean, name: string, counts: (text: string) => boolean): SourcedValue<boolean> {
    if (given) return { value: true, source: `flag --${flag}` };
    return this.#variable(name, counts) ?? { value: false, source: 'default' };
  }

  async #fromProfile<T>(read: (profile: Profile) => T | undefined, otherwise: T): Promise<SourcedValue<T>> {
    const named = await this.profile();
    const value = named === undefined ? undefined : read(named.profile);
    if (named === undefined || value === undefined) return { value: otherwise, source: 'default' };
    return { value, source: profileSource(named.name) };
  }
}

/** What a setting of that profile has for its source. */
export function profileSource(profile: string): string {
  return `profile ${profile}`;
}

/** @param source where the name was found: `flag --profile`, `the config file`; left out for an argument. */
export function unknownProfile(name: string, known: readonly string[], source?: string): ConfigurationError {
  const names = known.length === 0 ? 'There are no profiles' : `Profiles: ${known.join(', ')}`;
  const isRemembered = source === 'the config file';
  return new ConfigurationError(`There is no profile "${name}"`, {
    details: isRemembered ? `the config file says that it is the current one. ${names}` : names,
    next: isRemembered && known.length > 0 ? 'Choose one: svc profile use NAME' : `Make it: svc profile create ${name}`,
  });
}
