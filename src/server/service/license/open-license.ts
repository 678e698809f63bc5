import type { Logger } from '../../log.ts';
import type { LoadedSettings } from '../../settings/load.ts';
import { License } from './license.ts';
import type { RateLimits } from './rate-limits.ts';

/** The license of these settings, read for the first time, with its limits in force. */
export async function openLicense(
  { settings, sources }: Pick<LoadedSettings, 'settings' | 'sources'>,
  applyLimits: (limits: RateLimits) => void,
  log: Logger,
): Promise<License> {
  const { rateLimitMax: max, rateLimitWindowS: windowSeconds } = settings;
  const license = new License({
    directory: settings.licenseDir,
    defaults: { max, windowSeconds },
    explicit: {
      ...(sources.rateLimitMax.kind === 'default' ? {} : { max }),
      ...(sources.rateLimitWindowS.kind === 'default' ? {} : { windowSeconds }),
    },
    applyLimits,
    log,
  });
  await license.start();
  return license;
}
