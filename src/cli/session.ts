import type { Address } from './client/address.ts';
import type { Client } from './client/client.ts';
import type { Rung, TlsMemory } from './client/tls-ladder.ts';
import type { CommandContext } from './command.ts';
import type { Elsewhere } from './config/other-server.ts';
import type { Settings } from './config/settings.ts';
import { usageError } from './failure.ts';
import type { TlsMode } from './global-flags.ts';
import { readSecret } from './input/read-secret.ts';
import type { Io } from './io.ts';
import { oneLine } from './render/printable.ts';

export interface SessionOptions {
  io: Io;
  settings: Settings;
  debug: boolean;
  signal: AbortSignal;
  /** Whether the command can do nothing without an API key. */
  needsKey: boolean;
  /** Nothing that the connection teaches is remembered: for calls that nobody made knowingly and whose remarks nobody sees. */
  leavesNoTrace?: boolean;
}

/** The connection of one command: made at the first use, closed at its end. */
export function openSession(options: SessionOptions): { client: () => Promise<Client>; close: () => void } {
  let opened: Promise<Client> | undefined;
  return {
    client: () => {
      opened ??= connect(options);
      return opened;
    },
    close: () => {
      opened?.then(
        (client) => client.close(),
        () => {},
      );
    },
  };
}

async function connect({
  io,
  settings,
  debug,
  signal,
  needsKey,
  leavesNoTrace = false,
}: SessionOptions): Promise<Client> {
  await tellWarning(io, settings);
  // grpc-js takes longer to load than most commands run: help, version and mistakes do without it.
  const [{ parseAddress }, { chooseRung }, { certificateMemory }, { elsewhere, tlsFor }, { grpcClient }, waits] =
    await Promise.all([
      import('./client/address.ts'),
      import('./client/tls-ladder.ts'),
      import('./config/certificate-memory.ts'),
      import('./config/other-server.ts'),
      import('./client/grpc-client.ts'),
      import('./client/waiting.ts'),
    ]);
  const address = parseAddress((await settings.server()).value);
  const lent = await elsewhere(settings, address);
  const mode = (await tlsFor(settings, lent)).value;
  if (leavesNoTrace && (lent?.lends.apiKey || lent?.lends.tls))
    throw new Error(`${address.authority} is not the server of the profile`);
  const { apiKey, remarks: notes } = await credentialsFor(address, lent, { io, settings, signal, needsKey });
  const memory = await certificateMemory(settings, address);
  const waiting = new waits.Waiting(io, address.authority);
  const { rung, remarks, learned } = await waiting.during(() => chooseRung({ address, mode, memory, signal }));
  if (leavesNoTrace) {
    if (learned !== undefined || isUntold(rung, { address, mode, memory }))
      throw new Error(`${address.authority} is not as the profile remembers it`);
  } else await tell(io, [...notes, ...remarks, ...(await remember(learned, { settings, address, mode, signal }))]);
  const trace = debug ? (line: string) => void io.stderr.write(`debug: ${oneLine(line)}\n`).catch(() => {}) : undefined;
  trace?.(`connecting to ${address.authority}, --tls ${mode}: ${rungText(rung)}`);
  const client = grpcClient({ address, rung, apiKey, signal, trace });
  // The lines of the trace say more than a line that is drawn over them.
  return debug ? client : waits.waitedFor(client, waiting, { hasScreen: io.events === 'tui' });
}

/** A rung below verified TLS that nobody asked for, nor was told about in an earlier call. */
function isUntold(
  rung: Rung,
  { address, mode, memory }: { address: Address; mode: TlsMode; memory: TlsMemory | undefined },
): boolean {
  if (rung.kind === 'plaintext') return memory?.tlsSeen === true || (mode === 'auto' && address.scheme !== 'http');
  return rung.kind === 'unverified' && mode === 'auto' && memory === undefined;
}

interface KeyOptions {
  io: Io;
  settings: Settings;
  signal: AbortSignal;
  needsKey: boolean;
}

/** The key for this server, and what to tell about what another server's profile lends to it. */
async function credentialsFor(
  address: Address,
  lent: Elsewhere | undefined,
  { io, settings, signal, needsKey }: KeyOptions,
): Promise<{ apiKey: string | undefined; remarks: string[] }> {
  if (lent === undefined) return { apiKey: await apiKeyOf({ io, signal }, settings), remarks: [] };
  const { lentRungRemarks, requireKeyMayGo } = await import('./config/other-server.ts');
  const ofRungs = await lentRungRemarks(settings, address, lent);
  // What answers without a key gets none that is not meant for it.
  if (lent.lends.apiKey && !needsKey && !lent.isNamed) return { apiKey: undefined, remarks: ofRungs };
  const ofKey = lent.lends.apiKey ? await requireKeyMayGo({ io, signal }, address, lent) : [];
  return { apiKey: await apiKeyOf({ io, signal }, settings), remarks: [...ofKey, ...ofRungs] };
}

interface RememberOptions {
  settings: Settings;
  address: Address;
  mode: TlsMode;
  signal: AbortSignal;
}

/** Returns what to tell about it. */
async function remember(learned: TlsMemory | undefined, { settings, ...options }: RememberOptions): Promise<string[]> {
  const path = settings.place?.path;
  if (learned === undefined || path === undefined) return [];
  const { rememberCertificate } = await import('./config/certificate-memory.ts');
  const failure = await rememberCertificate(learned, { path, ...options });
  return failure === undefined ? [] : [failure];
}

async function tell({ stderr }: Pick<Io, 'stderr'>, remarks: readonly string[]): Promise<void> {
  for (const remark of remarks) await stderr.write(`svc: ${remark}\n`);
}

function rungText(rung: Rung): string {
  if (rung.kind === 'verified') return 'verified TLS';
  if (rung.kind === 'plaintext') return 'plaintext';
  const { certificateSha256 } = rung;
  return `TLS without verification, ${certificateSha256 === undefined ? 'any certificate' : `certificate ${certificateSha256}`}`;
}

/** Warns when others may read the keys in the config file. */
export async function tellWarning(io: Pick<Io, 'stderr'>, settings: Settings): Promise<void> {
  const warning = await settings.warning();
  if (warning !== undefined) await tell(io, [warning]);
}

/** The API key that the settings name, undefined when there is none. */
export async function apiKeyOf(
  context: Pick<CommandContext, 'io' | 'signal'>,
  settings: Settings,
): Promise<string | undefined> {
  const { value: place, source } = await settings.apiKey();
  if (place === undefined) return undefined;
  if (place.kind === 'text') return headerValue(place.text, source);
  const key = await readSecret(context, place.file, 'API key');
  return headerValue(key, place.file === '-' ? 'stdin' : `the file ${place.file}`);
}

function headerValue(key: string, source: string): string {
  if (/^[\u0021-\u007e]+$/.test(key)) return key;
  throw usageError(`The API key from ${source} is ${key === '' ? 'empty' : 'not made of visible ASCII characters'}`);
}
