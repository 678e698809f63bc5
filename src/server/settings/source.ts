import type { ConfigurationProblem } from './configuration-error.ts';
import { type FlagName, SETTINGS, type SettingName } from './table.ts';

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
