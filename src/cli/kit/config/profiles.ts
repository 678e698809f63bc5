import { ConfigurationError } from '../errors.ts';
import { isSameServer, parseAddress } from './address.ts';
import { type Config, isProfileName, type Profile } from './config.ts';
import { updateConfig } from './config-file.ts';
import { type ClientSettings, DEFAULT_SERVER, unknownProfile } from './settings.ts';

/** The path of the config file. */
export function requirePath({ place }: ClientSettings): string {
  if (place !== undefined) return place.path;
  throw new ConfigurationError('There is no place for a config file', {
    details: 'neither XDG_CONFIG_HOME nor HOME is set',
    next: 'Set one of them to a folder of this user',
  });
}

/** Changes the config file of these settings; see `updateConfig`. */
export async function changeConfig(
  settings: ClientSettings,
  change: (config: Config) => Config,
  signal: AbortSignal,
): Promise<Config> {
  return updateConfig(requirePath(settings), change, signal);
}

/** The profile of that name. */
export function requireProfile({ profiles }: Config, name: string): Profile {
  const profile = profiles.get(name);
  if (profile === undefined) throw unknownProfile(name, [...profiles.keys()]);
  return profile;
}

/** The config with that profile in it; the first one becomes the current one. */
export function withProfile(config: Config, name: string, profile: Profile): Config {
  return {
    currentProfile: config.profiles.size === 0 ? name : config.currentProfile,
    profiles: new Map(config.profiles).set(name, profile),
  };
}

/** Whether this server is another one than that of the profile. */
export function isOtherServer({ server: before = DEFAULT_SERVER }: Profile, now: string): boolean {
  return !isSameServer(parseAddress(now), parseAddress(before));
}

/** The profile without what it remembers of the TLS of its server. */
export function withoutCertificate({ tlsSeen: _tlsSeen, certificateSha256: _certificate, ...rest }: Profile): Profile {
  return rest;
}

/** Whether the profile holds a key that is not for the server that it gets. */
export function losesKey(profile: Profile, { server, apiKey }: Pick<Profile, 'server' | 'apiKey'>): boolean {
  return profile.apiKey !== undefined && apiKey === undefined && server !== undefined && isOtherServer(profile, server);
}

/** @throws ConfigurationError when no profile may be called so. */
export function requireProfileName(name: string): string {
  if (isProfileName(name)) return name;
  throw new ConfigurationError(`A profile cannot be called ${JSON.stringify(name)}`, {
    details: 'a name is up to 64 letters, digits, dots, dashes and underscores, and begins with a letter or digit',
    next: 'Choose another name',
  });
}
