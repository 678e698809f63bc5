import { credentialsInUrl } from './postgres-url.ts';
import type { SettingSources } from './source.ts';
import { type Settings, secretFileNames, settingName, settingRows } from './table.ts';

/** Warnings about a configuration with which the server can start. */
export function settingWarnings(
  { settings, sources }: { settings: Settings; sources: SettingSources },
  env: Readonly<Record<string, string | undefined>>,
): string[] {
  return [
    ...commandLineWarnings(settings, sources),
    ...metricsWarnings(settings, sources),
    ...reservedWarnings(sources),
    ...unknownVariables(env).map((name) => `The environment variable ${name} is not a setting of this server.`),
  ];
}

/** The command line of a process is shown to every user of the machine, by `ps` for example. */
function commandLineWarnings(settings: Settings, sources: SettingSources): string[] {
  return settingRows().flatMap(({ flag, name, row }) => {
    const file = secretFileNames(flag);
    const { kind, text } = sources[name];
    if (file === undefined || (kind !== 'flag' && kind !== 'property')) return [];
    const what = row.secret === 'all' ? 'The value' : 'The password in the value';
    if (row.secret === 'url-password' && !holdsPassword(settings[name])) return [];
    return [
      `${what} of ${text.replace(/^(flag|system property) /, '')} can be read by every user of this machine in the list of ` +
        `processes; give it with --${file.flag}, ${file.variable} or ${row.env}.`,
    ];
  });
}

function holdsPassword(url: unknown): boolean {
  return typeof url === 'string' && credentialsInUrl(url).password !== undefined;
}

function metricsWarnings(settings: Settings, sources: SettingSources): string[] {
  if (settings.metricsAuthDisabled) return ['/metrics is served without a secret.'];
  if (sources.metricsScrapeSecret.kind !== 'default') return [];
  return ['/metrics is protected by the built-in secret, which is public knowledge; set --metrics-scrape-secret.'];
}

function reservedWarnings(sources: SettingSources): string[] {
  const given = settingRows().filter(({ name, row }) => row.reserved === true && sources[name].kind !== 'default');
  return given.map(
    ({ flag }) => `--${flag} (${sources[settingName(flag)].text}) is reserved and has no effect in this version.`,
  );
}

/** A mistyped variable would otherwise have no effect without a warning. */
function unknownVariables(env: Readonly<Record<string, string | undefined>>): string[] {
  const known = new Set(settingRows().flatMap(({ flag, row }) => [row.env, secretFileNames(flag)?.variable]));
  return Object.keys(env).filter((name) => name.startsWith('SERVICE_') && !known.has(name));
}
