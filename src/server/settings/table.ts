import { type CamelCase, camelCase } from '../../shared/name-cases.ts';
import { DATABASE_SETTINGS } from './database-settings.ts';
import { ENDPOINT_SETTINGS } from './endpoint-settings.ts';
import { OPERATION_SETTINGS } from './operation-settings.ts';
import type { Setting } from './setting.ts';
import type { ConfigurationProblem } from './settings-error.ts';
import { TLS_SETTINGS } from './tls-settings.ts';

/**
 * Every setting of the server, keyed by its flag without dashes. Flags, variables, help, docs, `--print-config` and the
 * `Settings` type all follow from it. Loading it is cheap on purpose: help for `svc serve` reads it.
 */
export const SETTINGS = { ...DATABASE_SETTINGS, ...ENDPOINT_SETTINGS, ...TLS_SETTINGS, ...OPERATION_SETTINGS };

/** A flag without its dashes, e.g. `rest-port`. */
export type FlagName = keyof typeof SETTINGS;

type ValueOf<S> = S extends Setting<infer T, infer D> ? (undefined extends D ? T | undefined : T) : never;

/** The server's settings, one member per row of the table, named as the flag in camel case. */
export type Settings = { readonly [F in FlagName as CamelCase<F>]: ValueOf<(typeof SETTINGS)[F]> };

export type SettingName = keyof Settings;

/** `rest-port` → `restPort`, the name of the setting and of the option as commander spells it. */
export function settingName(flag: FlagName): SettingName {
  return camelCase(flag);
}

/** The table as a list, for everything that treats all rows alike. */
export function settingRows(): readonly { flag: FlagName; name: SettingName; row: Setting<unknown, unknown> }[] {
  const flags = Object.keys(SETTINGS) as FlagName[];
  return flags.map((flag) => ({ flag, name: settingName(flag), row: SETTINGS[flag] as Setting<unknown, unknown> }));
}

/** What names the file of a secret: `db-password-file`, `dbPasswordFile` and `DB_PASSWORD_FILE`. */
export interface SecretFileNames {
  readonly flag: `${FlagName}-file`;
  readonly name: `${SettingName}File`;
  readonly variable: string;
}

/** Undefined for settings that hold no secret. */
export function secretFileNames(flag: FlagName): SecretFileNames | undefined {
  const row = SETTINGS[flag] as Setting<unknown, unknown>;
  if (row.secret === undefined) return undefined;
  return { flag: `${flag}-file`, name: `${settingName(flag)}File`, variable: `${row.env}_FILE` };
}

export type SourceKind = 'flag' | 'environment' | 'file' | 'property' | 'default';

/** Where a setting's value came from. Anything but `default` was given explicitly. */
export interface SettingSource {
  kind: SourceKind;
  /** In words: `flag --rest-port`, `environment variable DB_URL`, `file /run/key (flag --secrets-key-file)`, `default`. */
  text: string;
}

export type SettingSources = Readonly<Record<SettingName, SettingSource>>;

/** A problem of one setting, with its names from the table. */
export function problemOf(
  flag: FlagName,
  source: SettingSource,
  { problem, remedy }: { problem: string; remedy: string },
): ConfigurationProblem {
  return { flag: `--${flag}`, variable: SETTINGS[flag].env, source: source.text, problem, remedy };
}
