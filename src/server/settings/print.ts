import { MASK, maskDatabaseUrl } from './database-url.ts';
import type { LoadedSettings } from './load.ts';
import { type SourceKind, settingRows } from './table.ts';

/** One setting as `--print-config` shows it. */
interface PrintedSetting {
  flag: string;
  variable: string;
  source: SourceKind;
  /** The value as text, secrets masked; null when unset. */
  value: string | null;
  /** What stands in for an unset value, e.g. `1 with pdfium, CPU count with pdfbox`. */
  unsetText: string;
}

/** Every setting with its flag, variable, source and value, in the order of the table. Secrets are masked. */
function printedSettings({ settings, sources }: Pick<LoadedSettings, 'settings' | 'sources'>): PrintedSetting[] {
  return settingRows().map(({ flag, name, row }) => {
    const value: unknown = settings[name];
    const source = sources[name].kind;
    const text = value === undefined ? null : row.type.print(value);
    const explains = source === 'default' && row.defaultText !== undefined && !row.defaultText.startsWith('required');
    return {
      flag: `--${flag}`,
      variable: row.env,
      source,
      value: text === null ? null : masked(text, row.secret),
      unsetText: explains ? `unset: ${row.defaultText}` : 'unset',
    };
  });
}

/** All settings as an aligned table, or as one indented JSON array of `{flag, variable, source, value}`. */
export function printConfig(loaded: Pick<LoadedSettings, 'settings' | 'sources'>, format: 'table' | 'json'): string {
  const printed = printedSettings(loaded);
  if (format === 'json') {
    const records = printed.map(({ flag, variable, source, value }) => ({ flag, variable, source, value }));
    return `${JSON.stringify(records, null, 2)}\n`;
  }
  const rows = printed.map(({ flag, variable, source, value, unsetText }) => [
    flag,
    variable,
    source,
    value === null ? `(${unsetText})` : value === '' ? '(empty)' : value,
  ]);
  return alignColumns([['FLAG', 'VARIABLE', 'SOURCE', 'VALUE'], ...rows]);
}

function masked(text: string, secret: 'all' | 'url-password' | undefined): string {
  if (secret === 'all') return MASK;
  return secret === 'url-password' ? maskDatabaseUrl(text) : text;
}

function alignColumns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}
