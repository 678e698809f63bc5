import type { ValueType } from './value-type.ts';

export type SettingGroup = 'Endpoints' | 'Database' | 'TLS' | 'Security' | 'Metrics' | 'Processing' | 'OCR' | 'Logging';

/** What a default may depend on. */
export interface DefaultContext {
  embedded: boolean;
  fips: boolean;
  cpuCount: number;
  /** `$XDG_DATA_HOME`, else `~/.local/share`. */
  dataHome: string;
}

/** One row of the settings table: everything that flags, variables, help, docs and `--print-config` say about a setting. */
export interface Setting<T, D> {
  readonly env: string;
  readonly group: SettingGroup;
  readonly type: ValueType<T>;
  readonly default: D | ((context: DefaultContext) => D);
  /** How help and docs write the default when it is computed or decided later. */
  readonly defaultText?: string;
  readonly purpose: string;
  /**
   * `all`: the value is never shown. `url-password`: the password inside the URL is never shown. Either can also be read
   * from a file, which a flag and a variable of their own name, see `secretFileNames`.
   */
  readonly secret?: 'all' | 'url-password';
  /** Accepted, checked and listed, without effect. */
  readonly reserved?: true;
  /** A system property (`-D<name>=<value>`) that is read when neither flag nor variable is given. */
  readonly property?: string;
  /** What to do about a value that does not parse, when the problem alone does not say it. */
  readonly remedy?: string;
}

/** Infers the value type (`T`) and whether the setting can be unset (`D` undefined) from a row. */
export function setting<T, const D extends T | undefined>(row: Setting<T, D>): Setting<T, D> {
  return row;
}
