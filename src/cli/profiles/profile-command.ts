import { EXIT } from '../../shared/exit-codes.ts';
import { apiKeyOf, tellWarning } from '../kit/client/session.ts';
import { type Command, type CommandContext, optional, required } from '../kit/command.ts';
import { parseAddress } from '../kit/config/address.ts';
import { type Config, EMPTY_CONFIG, type Profile } from '../kit/config/config.ts';
import {
  changeConfig,
  isOtherServer,
  losesKey,
  requireProfile,
  requireProfileName,
  withoutCertificate,
  withProfile,
} from '../kit/config/profiles.ts';
import { ClientSettings, DEFAULT_SERVER } from '../kit/config/settings.ts';
import { command } from '../kit/define-command.ts';
import { CommandError, ConfigurationError, usageError } from '../kit/errors.ts';
import { given } from '../kit/flags/flag.ts';
import { choice, toggle } from '../kit/flags/kinds.ts';
import { confirmDelete, confirmOnTerminal, FORCE_FLAG } from '../kit/input/prompt.ts';
import { OUTPUTS, type OutputFormat } from '../kit/output/io.ts';
import { writeLocalList, writeLocalRecord } from '../kit/output/records.ts';
import { maskKey } from '../kit/text/printable.ts';
import { profileView, type ShownProfile } from './view.ts';

const NAME = { ...required('name', 'Name of the profile'), completes: 'profiles' } as const;
const NAME_OR_CURRENT = {
  ...optional('name', 'Name of the profile (default: the one in use)'),
  completes: 'profiles',
} as const;
const DEFAULT_OUTPUT = choice(
  '--default-output <form>',
  'Form of the output that commands with this profile have',
  OUTPUTS,
);
const SHOW_KEY = toggle('--show-key', 'Show API keys in full');

const TAKEN_FLAGS =
  'What is stored comes from the general flags --server, --api-key, --api-key-file and --tls, never from the environment.';

const create = command({
  name: 'create',
  summary: 'Make a profile; the first one becomes the current one',
  notes: TAKEN_FLAGS,
  args: { name: required('name', 'Name of the new profile') },
  flags: { defaultOutput: DEFAULT_OUTPUT },
  examples: [
    'profile create local --server https://localhost:9090 --api-key-file root.key',
    'profile create work --server memory.example.com:9090 --tls verify --api-key-file - < key.txt',
    'profile create lab --server 192.0.2.7:9090 --tls pin',
  ],
  async run(context, { args, flags }) {
    const { io, settings, signal } = context;
    const name = requireProfileName(args.name);
    const profile = await givenProfile(context, flags.defaultOutput);
    const config = await changeConfig(
      settings,
      (before) => {
        if (before.profiles.has(name)) throw alreadyThere(name);
        return withProfile(before, name, profile);
      },
      signal,
    );
    await writeLocalRecord(io, profileView(false), shownProfile(config, name));
    await io.stderr.write(
      config.currentProfile === name
        ? `Profile ${name} is the current one.\n`
        : `Use it: svc --profile ${name} COMMAND, or for good: svc profile use ${name}\n`,
    );
    return undefined;
  },
});

const list = command({
  name: 'list',
  isPaged: true,
  summary: 'List profiles',
  args: {},
  flags: { showKey: SHOW_KEY },
  examples: ['profile list', 'profile list --show-key', "profile list -o ndjson | jq -r 'select(.current).name'"],
  async run({ io, settings }, { flags }) {
    await tellWarning(io, settings);
    const config = await storedConfig(settings);
    const profiles = [...config.profiles.keys()].sort().map((name) => shownProfile(config, name));
    await writeLocalList(
      io,
      profileView(flags.showKey),
      profiles,
      'No profiles yet. Make one: svc profile create NAME --server ADDR --api-key-file FILE',
    );
    return undefined;
  },
});

const show = command({
  name: 'show',
  isPaged: true,
  summary: 'Show a profile',
  args: { name: NAME_OR_CURRENT },
  flags: { showKey: SHOW_KEY },
  examples: ['profile show', 'profile show work -o json', 'profile show local --show-key'],
  async run({ io, settings }, { args, flags }) {
    await tellWarning(io, settings);
    const name = args.name ?? (await nameInUse(settings));
    await writeLocalRecord(io, profileView(flags.showKey), shownProfile(await storedConfig(settings), name));
    return undefined;
  },
});

const use = command({
  name: 'use',
  summary: 'Make a profile the current one',
  args: { name: NAME },
  flags: {},
  examples: ['profile use local', 'profile use work', 'profile use work && svc health'],
  async run({ io, settings, signal }, { args: { name } }) {
    const config = await changeConfig(
      settings,
      (before) => {
        requireProfile(before, name);
        return { ...before, currentProfile: name };
      },
      signal,
    );
    const { server = DEFAULT_SERVER } = requireProfile(config, name);
    await io.stderr.write(`Profile ${name} is the current one; its server is ${server}.\n`);
    return undefined;
  },
});

const update = command({
  name: 'update',
  summary: 'Change a profile',
  notes: `${TAKEN_FLAGS}\n\nWith another server, the certificate that was remembered of the old one is forgotten, and the API key of the old one is removed unless a new key comes along.`,
  args: { name: NAME_OR_CURRENT },
  flags: {
    defaultOutput: DEFAULT_OUTPUT,
    forgetCertificate: toggle('--forget-certificate', 'Accept the next certificate that the server shows'),
  },
  examples: [
    'profile update local --forget-certificate',
    'profile update work --server https://memory.example.com:9090 --tls verify',
    'profile update --api-key-file new.key',
  ],
  async run(context, { args, flags }) {
    const { io, settings, signal } = context;
    const name = args.name ?? (await nameInUse(settings));
    const changes = await givenProfile(context, flags.defaultOutput);
    if (Object.keys(changes).length === 0 && !flags.forgetCertificate)
      throw usageError('Nothing to change', { next: 'Help: svc profile update --help' });
    await confirmKeyLoss(context, requireProfile(await storedConfig(settings), name), changes);
    let isKeyGone = false;
    const config = await changeConfig(
      settings,
      (before) => {
        const profile = requireProfile(before, name);
        const mustForget =
          flags.forgetCertificate || (changes.server !== undefined && isOtherServer(profile, changes.server));
        isKeyGone = losesKey(profile, changes);
        const { apiKey, ...kept } = mustForget ? withoutCertificate(profile) : profile;
        return withProfile(before, name, { ...kept, ...(isKeyGone ? {} : given({ apiKey })), ...changes });
      },
      signal,
    );
    await writeLocalRecord(io, profileView(false), shownProfile(config, name));
    if (isKeyGone)
      await io.stderr.write(
        `The API key of the old server was removed from profile ${name}. Give the one of the new server: svc profile update ${name} --api-key-file FILE\n`,
      );
    return undefined;
  },
});

const remove = command({
  name: 'delete',
  summary: 'Delete a profile with its API key',
  args: { name: NAME },
  flags: { force: FORCE_FLAG },
  examples: ['profile delete lab', 'profile delete lab -f', 'profile delete old -f -o json'],
  async run(context, { args: { name }, flags }) {
    const { io, settings, signal } = context;
    requireProfile(await storedConfig(settings), name);
    await confirmDelete(context, `the profile ${name}`, flags.force);
    const config = await changeConfig(
      settings,
      (before) => {
        requireProfile(before, name);
        const { currentProfile } = before;
        const profiles = new Map(before.profiles);
        profiles.delete(name);
        return { currentProfile: currentProfile === name ? undefined : currentProfile, profiles };
      },
      signal,
    );
    await io.stderr.write(`Deleted profile ${name}\n`);
    if (config.currentProfile === undefined && config.profiles.size > 0)
      await io.stderr.write('No profile is the current one now. Choose one: svc profile use NAME\n');
    return undefined;
  },
});

export const profile: readonly Command[] = [create, list, show, use, update, remove];

/** What the flags say about a profile. The environment is left out: it counts for one shell, a profile for all. */
async function givenProfile(
  context: CommandContext,
  output: OutputFormat | undefined,
): Promise<Pick<Profile, 'server' | 'apiKey' | 'tls' | 'output'>> {
  const { globals } = context;
  const { server, tls } = globals;
  if (server !== undefined) parseAddress(server);
  const flagsAlone = new ClientSettings({ ...globals, profile: undefined }, {});
  return given({ server, apiKey: await apiKeyOf(context, flagsAlone), tls, output });
}

/** The key of the old server must not go to the new one; the profile may be the only place where it is. */
async function confirmKeyLoss(
  context: CommandContext,
  profile: Profile,
  changes: Pick<Profile, 'server' | 'apiKey'>,
): Promise<void> {
  if (!losesKey(profile, changes)) return;
  const key = `The API key ${maskKey(profile.apiKey ?? '')} is for ${profile.server ?? DEFAULT_SERVER}`;
  const question = `${key} and will be removed from the profile. It cannot be shown again. Go on?`;
  await confirmOnTerminal(context, { question, declined: 'Nothing was changed' }, false);
}

function alreadyThere(name: string): CommandError {
  return new CommandError(`There is a profile "${name}" already`, {
    code: 'ALREADY_EXISTS',
    exit: EXIT.badInput,
    next: `Change it: svc profile update ${name}`,
  });
}

async function storedConfig(settings: ClientSettings): Promise<Config> {
  return (await settings.file())?.config ?? EMPTY_CONFIG;
}

function shownProfile(config: Config, name: string): ShownProfile {
  return { ...requireProfile(config, name), name, isCurrent: config.currentProfile === name };
}

async function nameInUse(settings: ClientSettings): Promise<string> {
  const { value } = await settings.profileName();
  if (value !== undefined) return value;
  throw new ConfigurationError('No profile is in use', { next: 'Name one, or choose one: svc profile use NAME' });
}
