import type { Logger } from '../../log.ts';
import type { LoadedSettings } from '../../settings/load.ts';
import type { RateLimits } from '../rate-limit/rate-limiter.ts';
import { License } from './license.ts';

/** The license of these settings, read for the first time. The limits of the settings themselves are in force already. */
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
