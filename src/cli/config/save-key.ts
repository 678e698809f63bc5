import type { Config } from '../kit/config/config.ts';
import { checkWritable } from '../kit/config/config-file.ts';
import {
  changeConfig,
  isOtherServer,
  requirePath,
  requireProfileName,
  withoutCertificate,
  withProfile,
} from '../kit/config/profiles.ts';
import { DEFAULT_SERVER, type Settings } from '../kit/config/settings.ts';
import { ConfigurationError } from '../kit/errors.ts';
import { given } from '../kit/flags/flag.ts';
import type { TlsMode } from '../kit/flags/global-flags.ts';

const DEFAULT_PROFILE = 'default';

/** Where a new key will be saved. */
export interface KeySlot {
  readonly profile: string;
  readonly server: string;
  readonly tls: TlsMode | undefined;
}

/**
 * The profile that a new key of the server in use belongs into, checked before the key is made: the file can be written,
 * and no key of another server is overwritten. The profile need not exist.
 *
 * @throws ConfigurationError when the key could not be saved.
 */
export async function prepareKeySlot(
  settings: Settings,
  { tls, signal }: { tls: TlsMode | undefined; signal: AbortSignal },
): Promise<KeySlot> {
  settings.allowNewProfile();
  const { value: chosen } = await settings.profileName();
  const slot = { profile: requireProfileName(chosen ?? DEFAULT_PROFILE), server: (await settings.server()).value, tls };
  const file = await settings.file();
  if (file !== undefined) requireFree(file.config, slot);
  await checkWritable(requirePath(settings), signal);
  return slot;
}

/** Writes the key with its server into the profile. Nothing ends this early: the key exists nowhere else. */
export async function saveKey(settings: Settings, { profile: name, server, tls }: KeySlot, apiKey: string) {
  const change = (config: Config): Config => {
    const before = config.profiles.get(name) ?? {};
    const kept = isOtherServer(before, server) ? withoutCertificate(before) : before;
    return withProfile(config, name, { ...kept, server, apiKey, ...given({ tls }) });
  };
  return changeConfig(settings, change, new AbortController().signal);
}

function requireFree({ profiles }: Config, { profile: name, server }: KeySlot): void {
  const profile = profiles.get(name);
  if (profile?.apiKey === undefined || !isOtherServer(profile, server)) return;
  const { server: before = DEFAULT_SERVER } = profile;
  throw new ConfigurationError(`Profile ${name} holds the key of another server`, {
    details: `its server is ${before}`,
    next: 'Save the new key in another one: svc init --save --profile NAME',
  });
}
