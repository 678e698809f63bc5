import { availableParallelism, userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { credentialsInUrl } from './database-url.ts';
import { activateFips, type FipsProblem } from './fips.ts';
import { type ParsedFlags, readGiven } from './given.ts';
import { ruleProblems, type UncheckedSettings } from './rules.ts';
import type { DefaultContext } from './setting.ts';
import type { ConfigurationProblem } from './settings-error.ts';
import {
  problemOf,
  type SettingName,
  type SettingSource,
  type SettingSources,
  type Settings,
  secretFileNames,
  settingName,
  settingRows,
} from './table.ts';

export interface LoadInput {
  flags?: ParsedFlags;
  env?: Readonly<Record<string, string | undefined>>;
  /** `name=value` of every `-D` option. */
  properties?: readonly string[];
  platform?: Partial<Platform>;
}

/** What the loader needs to know of the machine. */
interface Platform {
  cpuCount: number;
  home: string;
  /** Puts the crypto library into FIPS mode; returns what prevents it, undefined when FIPS mode is on. */
  activateFips: () => FipsProblem | undefined;
}

export interface LoadedSettings {
  readonly settings: Settings;
  readonly sources: SettingSources;
  /** Sentences for the log; nothing in them keeps the server from starting, and none holds a secret. */
  readonly warnings: readonly string[];
}

const DEFAULT_SOURCE: SettingSource = { kind: 'default', text: 'default' };

/** Settings with everything that is wrong with them. What did not parse has its default there. */
export interface ReadSettings extends LoadedSettings {
  readonly problems: readonly ConfigurationProblem[];
}

/**
 * Reads every setting: flag, then variable, then (for the one that has it) system property, then default. FIPS mode, when
 * asked for and possible, is on afterwards.
 */
export function readSettings({ flags = {}, env = process.env, properties = [], platform }: LoadInput): ReadSettings {
  const given = readGiven({ flags, env, properties });
  const machine = { cpuCount: availableParallelism(), home: homeOf(env.HOME), activateFips, ...platform };
  const context: DefaultContext = {
    embedded: given.values.get('embedded') === true,
    fips: given.values.get('fipsModeEnabled') === true,
    cpuCount: machine.cpuCount,
    dataHome: dataHome(env.XDG_DATA_HOME, machine.home),
  };
  const values: Partial<Record<SettingName, unknown>> = {};
  const sources: Partial<Record<SettingName, SettingSource>> = {};
  for (const { name, row } of settingRows()) {
    const fallback: unknown = typeof row.default === 'function' ? row.default(context) : row.default;
    values[name] = given.values.has(name) ? given.values.get(name) : fallback;
    sources[name] = given.sources.get(name) ?? DEFAULT_SOURCE;
  }
  // Every row of the table was visited, and each value came out of its row's own parser or default.
  const loaded = { settings: values as unknown as Settings, sources: sources as SettingSources };
  const unread = new Set([...given.sources.keys()].filter((name) => !given.values.has(name)));
  const problems = [...given.problems, ...ruleProblems(loaded, unread), ...fipsProblems(loaded, machine.activateFips)];
  return { ...loaded, problems, warnings: settingWarnings(loaded, env) };
}

/** Last of all: the only check that changes the process. */
function fipsProblems({ settings, sources }: UncheckedSettings, activate: Platform['activateFips']) {
  const problem = settings.fipsModeEnabled ? activate() : undefined;
  return problem === undefined ? [] : [problemOf('fips-mode-enabled', sources.fipsModeEnabled, problem)];
}

/** `/` for a user without a home directory, such as a numeric user in a container. A relative path does not count. */
function homeOf(variable: string | undefined): string {
  if (variable !== undefined && isAbsolute(variable)) return variable;
  try {
    return userInfo().homedir;
  } catch {
    return '/';
  }
}

/** The XDG rule: a relative path in the variable counts as unset. */
function dataHome(variable: string | undefined, home: string): string {
  return variable !== undefined && isAbsolute(variable) ? variable : join(home, '.local', 'share');
}

/** Warnings about a configuration with which the server can start. */
function settingWarnings(
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
