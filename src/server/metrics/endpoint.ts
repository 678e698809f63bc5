import type { Settings } from '../settings/table.ts';
import type { MetricsEndpoint } from '../transport/rest/metrics.ts';
import type { Metrics } from './metrics.ts';

/** The metrics as the settings want them served. */
export function metricsEndpoint(
  { contentType, scrape }: Pick<Metrics, 'contentType' | 'scrape'>,
  settings: Pick<Settings, 'metricsAuthDisabled' | 'metricsScrapeSecret'>,
): MetricsEndpoint {
  const secret = settings.metricsAuthDisabled ? undefined : settings.metricsScrapeSecret;
  return { secret, contentType, scrape };
}
