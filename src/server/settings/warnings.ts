import type { SettingSources } from './source.ts';
import { type Settings, settingName, settingRows } from './table.ts';

/** What a person would want to know about a configuration that is nevertheless good enough to start. */
export function settingWarnings(
  { settings, sources }: { settings: Settings; sources: SettingSources },
  env: Readonly<Record<string, string | undefined>>,
): string[] {
  return [
    ...metricsWarnings(settings, sources),
    ...reservedWarnings(sources),
    ...unknownVariables(env).map((name) => `The environment variable ${name} is not a setting of this server.`),
  ];
}

function metricsWarnings(settings: Settings, sources: SettingSources): string[] {
  if (settings.metricsAuthDisabled) return ['/metrics is served without a secret.'];
  if (sources.metricsScrapeSecret.kind !== 'default') return [];
  return ['/metrics is protected by the built-in secret, which everybody knows; set --metrics-scrape-secret.'];
}

function reservedWarnings(sources: SettingSources): string[] {
  const given = settingRows().filter(({ name, row }) => row.reserved === true && sources[name].kind !== 'default');
  return given.map(({ flag }) => `--${flag} (${sources[settingName(flag)].text}) is reserved and has no effect.`);
}

/** A mistyped variable is otherwise indistinguishable from one that was never set. */
function unknownVariables(env: Readonly<Record<string, string | undefined>>): string[] {
  const known = new Set(settingRows().map(({ row }) => row.env));
  return Object.keys(env).filter((name) => name.startsWith('SERVICE_') && !known.has(name));
}
