import type { LocalView } from '../kit/output/records.ts';

/** A value that commands work with, and where it comes from. */
export interface ShownSetting {
  readonly name: string;
  /** Null when there is none. */
  readonly value: string | boolean | null;
  readonly source: string;
}

export const settingView: LocalView<ShownSetting> = {
  json: (setting) => setting,
  wraps: true,
  columns: [
    { header: 'SETTING', value: ({ name }) => name, whole: true },
    { header: 'VALUE', value: ({ value }) => valueText(value) },
    { header: 'SOURCE', value: ({ source }) => source },
  ],
};

function valueText(value: ShownSetting['value']): string {
  if (value === null) return 'none';
  if (typeof value === 'string') return value;
  return value ? 'yes' : 'no';
}
