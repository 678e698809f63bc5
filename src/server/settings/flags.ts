import type { SettingGroup } from './setting.ts';
import {
  type FlagName,
  SETTINGS,
  type SecretFileNames,
  type SettingName,
  secretFileNames,
  settingRows,
} from './table.ts';

/** One flag of `svc serve`, ready for a command-line parser, help, man page and docs. */
export interface ServeFlag {
  /** With dashes: `--rest-port`, or `-D` for system properties. */
  flag: string;
  /** Undefined for the flags that are actions rather than settings. */
  name: SettingName | SecretFileNames['name'] | undefined;
  /** Undefined for flags without an environment variable. */
  variable: string | undefined;
  group: SettingGroup | 'Actions';
  /** What follows the flag: `<port>`, `[true|false]`, or `` for a plain switch. */
  placeholder: string;
  repeatable: boolean;
  /** The default in words; `` when there is none. */
  defaultText: string;
  purpose: string;
  secret: boolean;
}

const ACTION = {
  name: undefined,
  variable: undefined,
  group: 'Actions',
  defaultText: '',
  secret: false,
};

const ACTIONS: readonly ServeFlag[] = [
  {
    ...ACTION,
    group: 'Actions',
    flag: '--check',
    placeholder: '',
    repeatable: false,
    purpose: 'Check the configuration and end without listening',
  },
  {
    ...ACTION,
    group: 'Actions',
    flag: '--print-config',
    placeholder: '',
    repeatable: false,
    purpose: 'Print every value with its flag, variable and source, secrets masked, and end',
  },
  {
    ...ACTION,
    group: 'Actions',
    flag: '-D',
    placeholder: '<property=value>',
    repeatable: true,
    purpose: `Set the system property ${knownProperties().join(' or ')}; flags and variables win over it`,
  },
];

/** Every flag of `svc serve`: the settings in the order of the table, secrets each with its file, then the actions. */
export function serveFlags(): readonly ServeFlag[] {
  const settings = settingRows().flatMap(({ flag, name, row }): ServeFlag[] => [
    {
      flag: `--${flag}`,
      name,
      variable: row.env,
      group: row.group,
      placeholder: row.type.placeholder,
      repeatable: row.type.repeatable,
      defaultText: row.defaultText ?? constantDefault(row.default, (value) => row.type.print(value)),
      purpose: row.reserved === true ? `${row.purpose} (reserved: without effect in this version)` : row.purpose,
      secret: row.secret !== undefined,
    },
    ...fileFlag(flag),
  ]);
  return [...settings, ...ACTIONS];
}

function fileFlag(flag: FlagName): ServeFlag[] {
  const file = secretFileNames(flag);
  if (file === undefined) return [];
  const purpose = `File that holds the value of --${flag}`;
  const { group } = SETTINGS[flag];
  return [{ ...ACTION, ...file, flag: `--${file.flag}`, group, placeholder: '<file>', repeatable: false, purpose }];
}

function constantDefault(value: unknown, print: (value: unknown) => string): string {
  return value === undefined || typeof value === 'function' ? '' : print(value);
}

function knownProperties(): string[] {
  return settingRows().flatMap(({ row }) => row.property ?? []);
}
