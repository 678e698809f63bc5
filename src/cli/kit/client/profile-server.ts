import type { CommandContext } from '../command.ts';
import { type Address, isSameServer, parseAddress } from '../config/address.ts';
import { updateConfig } from '../config/config-file.ts';
import { type ClientSettings, DEFAULT_SERVER, profileSource, type SourcedValue } from '../config/settings.ts';
import { ConfigurationError } from '../errors.ts';
import { given } from '../flags/flag.ts';
import type { TlsMode } from '../flags/global-flags.ts';
import { confirmOnTerminal } from '../input/prompt.ts';
import { changedCertificate, type TlsMemory } from './tls-ladder.ts';

const NAMED = 'flag --profile';

/** A profile in use whose server is not the one that is called: `--server` or SVC_SERVER names another. */
export interface Elsewhere {
  readonly profile: string;
  /** `host:port` of the profile's own server. */
  readonly own: string;
  /** The profile was named on the command line, for this call and knowingly. */
  readonly isNamed: boolean;
  /** The API key in use is the profile's, and so are the rungs of TLS that it allows beyond the default. */
  readonly lends: { readonly apiKey: boolean; readonly tls: boolean };
}

/** Undefined when no profile is in use, and for a profile's own server. */
export async function elsewhere(settings: ClientSettings, address: Address): Promise<Elsewhere | undefined> {
  const named = await settings.profile();
  if (named === undefined) return undefined;
  const { name, profile } = named;
  const own = parseAddress(profile.server ?? DEFAULT_SERVER);
  if (isSameServer(own, address)) return undefined;
  const isLax = profile.tls === 'insecure' || profile.tls === 'plaintext';
  const lends = {
    apiKey: (await settings.apiKey()).source === profileSource(name),
    tls: isLax && (await settings.tls()).source === profileSource(name),
  };
  return { profile: name, own: own.authority, isNamed: (await settings.profileName()).source === NAMED, lends };
}

/**
 * A key belongs to the server of its profile: to another one it goes only when the profile was named on the command line
 * (which gives the remark that is returned), or when the user confirms it at the terminal.
 *
 * @throws ConfigurationError when the key must not be sent there.
 */
export async function requireKeyMayGo(
  context: Pick<CommandContext, 'io' | 'signal'>,
  { authority }: Address,
  { profile, own, isNamed }: Elsewhere,
): Promise<string[]> {
  if (isNamed) return [`${authority}: sending it the API key of profile ${profile}, whose server is ${own}`];
  if (!context.io.canAsk) {
    throw new ConfigurationError(`The API key of profile ${profile} is not sent to ${authority}`, {
      details: `it belongs to the server of that profile, ${own}`,
      next: `Give a key with --api-key-file FILE or SVC_API_KEY, or send this one all the same: --profile ${profile}`,
    });
  }
  const question = `Send the API key of profile ${profile}, whose server is ${own}, to ${authority}?`;
  await confirmOnTerminal(context, { question, declined: 'Nothing was sent' }, false);
  return [];
}

/**
 * How to talk to the server that is called. A rung below verified TLS was chosen for the server of a profile: another one
 * gets the whole ladder, unless the profile was named on the command line.
 */
export async function tlsFor(settings: ClientSettings, lent: Elsewhere | undefined): Promise<SourcedValue<TlsMode>> {
  const chosen = await settings.tls();
  if (lent?.lends.tls !== true || lent.isNamed) return chosen;
  return { value: 'auto', source: `default; ${chosen.value} of profile ${lent.profile} is for ${lent.own}` };
}

/** A remark when a rung that was chosen for one server alone counts for another. */
export async function lentRungRemarks(
  settings: ClientSettings,
  { authority }: Address,
  { profile, own, isNamed, lends }: Elsewhere,
): Promise<string[]> {
  if (!lends.tls || !isNamed) return [];
  const { value: mode } = await settings.tls();
  return [
    `${authority}: --tls ${mode} comes from profile ${profile}, whose server is ${own}. To forbid it: --tls verify`,
  ];
}

/** What the profile in use knows about the TLS of this server; undefined when its server is another one. */
export async function certificateMemory(settings: ClientSettings, address: Address): Promise<TlsMemory | undefined> {
  const named = await settings.profile();
  if (named === undefined) return undefined;
  const { server = DEFAULT_SERVER, certificateSha256, tlsSeen = false } = named.profile;
  if (!isSameServer(parseAddress(server), address)) return undefined;
  return { profile: named.name, certificateSha256, tlsSeen };
}

interface RememberOptions {
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
