import { elsewhere, tlsFor } from '../kit/client/profile-server.ts';
import { apiKeyOf, tellWarning } from '../kit/client/session.ts';
import type { CommandContext } from '../kit/command.ts';
import { parseAddress } from '../kit/config/address.ts';
import type { SourcedValue } from '../kit/config/settings.ts';
import { loneCommand } from '../kit/define-command.ts';
import { type LocalView, writeLocalList } from '../kit/output/records.ts';
import { maskKey } from '../kit/text/printable.ts';

/** A value that commands work with, and where it comes from. */
interface ShownSetting {
  readonly name: string;
  /** Null when there is none. */
  readonly value: string | boolean | null;
  readonly source: string;
}

const settingView: LocalView<ShownSetting> = {
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

export const config = loneCommand({
  isPaged: true,
  notes:
    'A flag wins over the environment, which wins over the profile, which wins over the default. API keys are masked.',
  args: {},
  flags: {},
  examples: ['config', 'config --profile work', 'config -o ndjson | jq -r \'select(.name == "server").value\''],
  async run(context) {
    const { io, settings } = context;
    await tellWarning(io, settings);
    const shown = await shownSettings(context);
    await writeLocalList(io, settingView, shown, '');
    if ((await settings.file())?.exists !== true && !io.isData)
      await io.stderr.write('There is no config file yet. Make a profile: svc profile create NAME --server ADDR\n');
    return undefined;
  },
});

async function shownSettings(context: CommandContext): Promise<ShownSetting[]> {
  const { settings } = context;
  const { place } = settings;
  const key = await apiKeyOf(context, settings);
  const lent = await elsewhere(settings, parseAddress((await settings.server()).value));
  const { source: keySource } = await settings.apiKey();
  return [
    { name: 'config-file', value: place?.path ?? null, source: place?.source ?? 'no XDG_CONFIG_HOME and no HOME' },
    shown('profile', await settings.profileName()),
    shown('server', await settings.server()),
    {
      name: 'api-key',
      value: key === undefined ? null : maskKey(key),
      source: lent?.lends.apiKey === true && !lent.isNamed ? `${keySource}, for ${lent.own}` : keySource,
    },
    shown('tls', await tlsFor(settings, lent)),
    shown('output', await settings.output()),
    shown('no-color', settings.noColor()),
    shown('plain', settings.plain()),
  ];
}

function shown(name: string, { value, source }: SourcedValue<string | boolean | undefined>): ShownSetting {
  return { name, value: value ?? null, source };
}
