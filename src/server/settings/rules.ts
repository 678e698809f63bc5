import { credentialsInUrl } from './database-url.ts';
import type { ConfigurationProblem } from './settings-error.ts';
import {
  type FlagName,
  problemOf,
  type SettingName,
  type SettingSources,
  type Settings,
  settingName,
} from './table.ts';
import { tlsProblems } from './tls-rules.ts';

/** The settings before the rules between them were checked. */
export interface UncheckedSettings {
  settings: Settings;
  sources: SettingSources;
}

const FIPS_PASSWORD_CHARACTERS = 14;
const NOT_SET = { kind: 'default', text: 'not set' } as const;

/** A rule between settings. It is skipped when a setting that it reads did not parse. */
interface Rule {
  reads: readonly SettingName[];
  check: (loaded: UncheckedSettings) => ConfigurationProblem[];
}

const TLS_SWITCHES = ['tlsDisabled', 'restTlsEnabled', 'grpcTlsEnabled', 'fipsModeEnabled', 'tlsAcmeEnabled'] as const;

const RULES: readonly Rule[] = [
  { reads: ['embedded'], check: embeddedProblems },
  { reads: ['embedded', 'dbUrl'], check: requiredProblems },
  { reads: ['dbMinIdle', 'dbMaxPool', 'backgroundDbMinIdle', 'backgroundDbMaxPool'], check: poolProblems },
  { reads: ['restPort', 'grpcPort'], check: portProblems },
  { reads: [...TLS_SWITCHES, 'tlsSelfSignedDev'], check: tlsProblems },
  { reads: ['fipsModeEnabled'], check: shortPasswordProblems },
];

/** What is wrong between settings that are each fine by themselves. `unread` holds those that did not parse. */
export function ruleProblems(loaded: UncheckedSettings, unread: ReadonlySet<SettingName>): ConfigurationProblem[] {
  return RULES.flatMap(({ reads, check }) => (reads.some((name) => unread.has(name)) ? [] : check(loaded)));
}

function embeddedProblems({ settings, sources }: UncheckedSettings): ConfigurationProblem[] {
  if (!settings.embedded) return [];
  const external = ['db-url', 'db-user', 'db-password', 'db-read-url'] as const;
  return external.flatMap((flag) => {
    const source = sources[settingName(flag)];
    if (source.kind === 'default') return [];
    const remedy = `leave it out, or leave out --embedded (${sources.embedded.text})`;
    return [problemOf(flag, source, { problem: 'cannot be given together with --embedded', remedy })];
  });
}

function requiredProblems({ settings, sources }: UncheckedSettings): ConfigurationProblem[] {
  if (settings.embedded) return [];
  const parts = settings.dbUrl === undefined ? undefined : credentialsInUrl(settings.dbUrl);
  const required: [FlagName, boolean, string][] = [
    ['db-url', settings.dbUrl !== undefined, 'give the URL of a PostgreSQL 17 database, or start with --embedded'],
    ['db-user', parts?.user !== undefined, 'give it, or write the user into --db-url'],
    ['db-password', parts?.password !== undefined, 'give it, for example in a file with --db-password-file'],
  ];
  return required.flatMap(([flag, isKnown, remedy]) => {
    if (isKnown || sources[settingName(flag)].kind !== 'default') return [];
    return [problemOf(flag, NOT_SET, { problem: 'is required', remedy })];
  });
}

function poolProblems({ settings, sources }: UncheckedSettings): ConfigurationProblem[] {
  const pools = [
    ['db-min-idle', 'db-max-pool', settings.dbMinIdle, settings.dbMaxPool],
    ['background-db-min-idle', 'background-db-max-pool', settings.backgroundDbMinIdle, settings.backgroundDbMaxPool],
  ] as const;
  return pools.flatMap(([minFlag, maxFlag, min, max]) => {
    if (min <= max) return [];
    const problem = `is ${min}, more than --${maxFlag}, which is ${max} (${sources[settingName(maxFlag)].text})`;
    const remedy = `lower --${minFlag} or raise --${maxFlag}`;
    return [problemOf(minFlag, sources[settingName(minFlag)], { problem, remedy })];
  });
}

function portProblems({ settings, sources }: UncheckedSettings): ConfigurationProblem[] {
  if (settings.restPort !== settings.grpcPort || settings.restPort === 0) return [];
  const problem = `is ${settings.grpcPort}, the same as --rest-port (${sources.restPort.text})`;
  return [problemOf('grpc-port', sources.grpcPort, { problem, remedy: 'give the two ports different numbers' })];
}

/** SCRAM keys an HMAC with the password; 14 characters are the 112 bits that FIPS asks of such a key. */
function shortPasswordProblems({ settings, sources }: UncheckedSettings): ConfigurationProblem[] {
  if (!settings.fipsModeEnabled) return [];
  const inUrl = (url: string | undefined) => (url === undefined ? undefined : credentialsInUrl(url).password);
  const primary: [FlagName, SettingName, string | undefined] =
    settings.dbPassword === undefined
      ? ['db-url', 'dbUrl', inUrl(settings.dbUrl)]
      : ['db-password', 'dbPassword', settings.dbPassword];
  const replica = ['db-read-url', 'dbReadUrl', inUrl(settings.dbReadUrl)] as typeof primary;
  return [primary, replica].flatMap(([flag, name, password]) => {
    if (password === undefined || [...password].length >= FIPS_PASSWORD_CHARACTERS) return [];
    const problem = `contains a password of fewer than ${FIPS_PASSWORD_CHARACTERS} characters, which FIPS mode forbids`;
    const remedy = 'give the database user a longer password';
    return [problemOf(flag, sources[name], { problem, remedy })];
  });
}
