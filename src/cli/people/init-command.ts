import { withTimeout } from '../../shared/async/deadline.ts';
import { ApiKeyService } from '../../shared/gen/service/v1/api_key_pb.ts';
import {
  type InitializeSystemResponse,
  InitializeSystemResponseSchema,
  SystemService,
} from '../../shared/gen/service/v1/system_pb.ts';
import type { CommandContext } from '../kit/command.ts';
import type { Config } from '../kit/config/config.ts';
import { checkWritable } from '../kit/config/config-file.ts';
import {
  changeConfig,
  isOtherServer,
  requirePath,
  requireProfileName,
  withoutCertificate,
  withProfile,
} from '../kit/config/profiles.ts';
import { type ClientSettings, DEFAULT_SERVER } from '../kit/config/settings.ts';
import { loneCommand } from '../kit/define-command.ts';
import { ConfigurationError, usageError } from '../kit/errors.ts';
import { given } from '../kit/flags/flag.ts';
import type { TlsMode } from '../kit/flags/global-flags.ts';
import { text, toggle } from '../kit/flags/kinds.ts';
import { readSecret } from '../kit/input/prompt.ts';
import { writeRecord } from '../kit/output/records.ts';
import { oneLine } from '../kit/text/printable.ts';

export const init = loneCommand({
  notes: 'Only the key goes to stdout, and only this once. On a server that has its root user already nothing happens.',
  needsKey: false,
  args: {},
  flags: {
    save: toggle('--save', 'Also write the key and the server into the profile (default: a new one, "default")'),
    initToken: text('--init-token <token>', 'Token that the server was started with, - reads it from stdin'),
    initTokenFile: { ...text('--init-token-file <file>', 'File that holds the token'), completes: 'files' },
  },
  examples: ['init --save', 'init > root.key', 'init --init-token-file token.txt'],
  async run(context, { flags }) {
    const { io, client, settings, globals, signal } = context;
    // Before the key is made: afterwards it could not be had again.
    const slot = flags.save ? await prepareKeySlot(settings, { tls: globals.tls, signal }) : undefined;
    const token = await tokenOf(context, flags);
    const response = await (await client()).call(
      SystemService.method.initializeSystem,
      {},
      token === undefined ? {} : { metadata: { 'x-service-init-token': token } },
    );
    const key = response.rootApiKey;
    const saving = slot === undefined || key === undefined ? undefined : saveKey(settings, slot, key);
    // Waited for below: whatever happens to the one, the other is done.
    saving?.catch(() => {});
    try {
      await writeResponse(context, response, slot);
    } catch (error) {
      if (key !== undefined && saving === undefined) await io.stderr.write(await lostKeyText(context, key));
      else await tellSaved(context, slot, saving).catch(() => {});
      throw error;
    }
    await tellSaved(context, slot, saving);
    return undefined;
  },
});

async function tellSaved(
  { io, settings }: Pick<CommandContext, 'io' | 'settings'>,
  slot: KeySlot | undefined,
  saving: Promise<Config> | undefined,
): Promise<void> {
  if (saving === undefined || slot === undefined) return;
  const { currentProfile } = await saving;
  await io.stderr.write(savedText(slot, { path: settings.place?.path ?? '', currentProfile }));
}

const LOOKUP_TIMEOUT_MS = 5000;

/** About a root key that could not be written. Where people look it is shown; elsewhere only its id, which is no secret. */
async function lostKeyText({ io, client }: Pick<CommandContext, 'io' | 'client'>, key: string): Promise<string> {
  if (io.stderrIsTerminal) return `This is the root key. Keep it now: it cannot be shown again.\n${oneLine(key)}\n`;
  const listed = (await client()).call(
    ApiKeyService.method.listApiKeys,
    {},
    { metadata: { 'x-api-key': key }, signal: withTimeout(undefined, LOOKUP_TIMEOUT_MS), outlives: true },
  );
  const id = await listed.then(({ keys }) => keys[0]?.apiKeyId ?? '').catch(() => '');
  const which = id === '' ? 'The root key' : `The root key ${oneLine(id)}`;
  return `${which} was made, but could not be written, and is lost. Start the server on an empty database and run svc init again.\n`;
}

async function tokenOf(
  context: CommandContext,
  { initToken, initTokenFile }: { initToken: string | undefined; initTokenFile: string | undefined },
): Promise<string | undefined> {
  if (initToken !== undefined && initTokenFile !== undefined) {
    throw usageError('Give --init-token or --init-token-file, not both');
  }
  const file = initTokenFile ?? (initToken === '-' ? '-' : undefined);
  if (file === undefined) return initToken;
  const token = await readSecret(context, file, 'Init token');
  if (token === '') throw usageError(`The token from ${file === '-' ? 'stdin' : file} is empty`);
  return token;
}

async function writeResponse(
  { io }: Pick<CommandContext, 'io'>,
  response: InitializeSystemResponse,
  slot: KeySlot | undefined,
): Promise<void> {
  if (io.isData) return writeRecord(io, { desc: InitializeSystemResponseSchema, columns: [] }, response);
  if (response.rootApiKey === undefined) {
    await io.stderr.write(
      'This server already has its root user; no key was made. Use the key that the first init printed.\n',
    );
    return;
  }
  await io.stdout.write(`${oneLine(response.rootApiKey)}\n`);
  await io.stderr.write('This is the root key. Keep it now: it cannot be shown again.\n');
  if (slot === undefined) await io.stderr.write('Use it: export SVC_API_KEY=KEY, then: svc spaces create NAME\n');
}

function savedText(
  { profile, server }: KeySlot,
  { path, currentProfile }: { path: string; currentProfile: string | undefined },
): string {
  const saved = `Saved the key and the server ${server} in profile ${profile} of ${path}.`;
  const next = currentProfile === profile ? '' : `--profile ${profile} `;
  return `${saved}\nUse it: svc ${next}spaces create NAME\n`;
}

const DEFAULT_PROFILE = 'default';

/** Where a new key will be saved. */
interface KeySlot {
  readonly profile: string;
  readonly server: string;
  readonly tls: TlsMode | undefined;
}

/**
 * The profile that a new key of the server in use belongs into, checked before the key is made: the file can be written,
 * and no key of another server is overwritten. The profile need not exist.
 *
 * @throws ConfigurationError when the key could not be saved.
 */
async function prepareKeySlot(
  settings: ClientSettings,
  { tls, signal }: { tls: TlsMode | undefined; signal: AbortSignal },
): Promise<KeySlot> {
  settings.allowNewProfile();
  const { value: chosen } = await settings.profileName();
  const slot = { profile: requireProfileName(chosen ?? DEFAULT_PROFILE), server: (await settings.server()).value, tls };
  const file = await settings.file();
  if (file !== undefined) requireFree(file.config, slot);
  await checkWritable(requirePath(settings), signal);
  return slot;
}

/** Writes the key with its server into the profile. Nothing ends this early: the key exists nowhere else. */
async function saveKey(settings: ClientSettings, { profile: name, server, tls }: KeySlot, apiKey: string) {
  const change = (config: Config): Config => {
    const before = config.profiles.get(name) ?? {};
    const kept = isOtherServer(before, server) ? withoutCertificate(before) : before;
    return withProfile(config, name, { ...kept, server, apiKey, ...given({ tls }) });
  };
  return changeConfig(settings, change, new AbortController().signal);
}

function requireFree({ profiles }: Config, { profile: name, server }: KeySlot): void {
  const profile = profiles.get(name);
  if (profile?.apiKey === undefined || !isOtherServer(profile, server)) return;
  const { server: before = DEFAULT_SERVER } = profile;
  throw new ConfigurationError(`Profile ${name} holds the key of another server`, {
    details: `its server is ${before}`,
    next: 'Save the new key in another one: svc init --save --profile NAME',
  });
}
