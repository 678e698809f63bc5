import { type Address, isSameServer, parseAddress } from '../client/address.ts';
import { changedCertificate, type TlsMemory } from '../client/tls-ladder.ts';
import { given } from '../flags/optional.ts';
import type { TlsMode } from '../global-flags.ts';
import { updateConfig } from './config-file.ts';
import { ConfigurationError } from './configuration-error.ts';
import { DEFAULT_SERVER, type Settings } from './settings.ts';

/** What the profile in use knows about the TLS of this server; undefined when its server is another one. */
export async function certificateMemory(settings: Settings, address: Address): Promise<TlsMemory | undefined> {
  const named = await settings.profile();
  if (named === undefined) return undefined;
  const { server = DEFAULT_SERVER, certificateSha256, tlsSeen = false } = named.profile;
  if (!isSameServer(parseAddress(server), address)) return undefined;
  return { profile: named.name, certificateSha256, tlsSeen };
}

export interface RememberOptions {
  path: string;
  address: Address;
  mode: TlsMode;
  signal: AbortSignal;
}

/**
 * Writes what was learned into the profile. Returns a remark when that failed; under `pin`, which is nothing without its
 * memory, the failure is thrown.
 */
export async function rememberCertificate(
  learned: TlsMemory,
  { path, address, mode, signal }: RememberOptions,
): Promise<string | undefined> {
  const { profile: name, certificateSha256, tlsSeen } = learned;
  try {
    await updateConfig(
      path,
      (config) => {
        const profile = config.profiles.get(name);
        if (profile === undefined) return config;
        const before = profile.certificateSha256;
        // Another process may have been the first to pin.
        if (mode === 'pin' && before !== undefined && before !== certificateSha256)
          throw changedCertificate(address, { ...learned, certificateSha256: before }, certificateSha256);
        const changed = { ...profile, tlsSeen, ...given({ certificateSha256 }) };
        return { ...config, profiles: new Map(config.profiles).set(name, changed) };
      },
      signal,
    );
    return undefined;
  } catch (error) {
    if (mode === 'pin' || !(error instanceof ConfigurationError)) throw error;
    return `profile ${name} cannot remember the certificate. ${error.message}: ${error.details}`;
  }
}
