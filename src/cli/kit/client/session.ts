import type { CommandContext } from '../command.ts';
import type { Address } from '../config/address.ts';
import type { ClientSettings } from '../config/settings.ts';
import { usageError } from '../errors.ts';
import type { TlsMode } from '../flags/global-flags.ts';
import type { Io } from '../output/io.ts';
import { ProgressLine } from '../output/progress.ts';
import { durationText } from '../text/figures.ts';
import { oneLine } from '../text/printable.ts';
import type { Client } from './client.ts';
import type { Elsewhere } from './profile-server.ts';
import type { Rung, TlsMemory } from './tls-ladder.ts';

interface SessionOptions {
  io: Io;
  settings: ClientSettings;
  debug: boolean;
  signal: AbortSignal;
  /** Whether the command can do nothing without an API key. */
  needsKey: boolean;
  /** Nothing about the connection is remembered: for calls of a shell's completion, whose remarks are not shown. */
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
  const [{ parseAddress }, { chooseRung }, { certificateMemory, elsewhere, tlsFor }, { grpcClient }] =
    await Promise.all([
      import('../config/address.ts'),
      import('./tls-ladder.ts'),
      import('./profile-server.ts'),
      import('./grpc-client.ts'),
    ]);
  const address = parseAddress((await settings.server()).value);
  const lent = await elsewhere(settings, address);
  const mode = (await tlsFor(settings, lent)).value;
  if (leavesNoTrace && (lent?.lends.apiKey || lent?.lends.tls))
    throw new Error(`${address.authority} is not the server of the profile`);
  const { apiKey, remarks: notes } = await credentialsFor(address, lent, { io, settings, signal, needsKey });
  const memory = await certificateMemory(settings, address);
  const waiting = new Waiting(io, address.authority);
  const { rung, remarks, learned } = await waiting.during(() => chooseRung({ address, mode, memory, signal }));
  if (leavesNoTrace) {
    if (learned !== undefined || isUntold(rung, { address, mode, memory }))
      throw new Error(`${address.authority} is not as the profile remembers it`);
  } else await tell(io, [...notes, ...remarks, ...(await remember(learned, { settings, address, mode, signal }))]);
  const trace = debug ? (line: string) => void io.stderr.write(`debug: ${oneLine(line)}\n`).catch(() => {}) : undefined;
  trace?.(`connecting to ${address.authority}, --tls ${mode}: ${rungText(rung)}`);
  const client = grpcClient({ address, rung, apiKey, signal, trace });
  // The lines of the trace say more than a line that is drawn over them.
  return debug ? client : waitedFor(client, waiting, { hasScreen: io.events === 'tui' });
}

/** A rung below verified TLS that the user did not ask for and has not been told about. */
function isUntold(
  rung: Rung,
  { address, mode, memory }: { address: Address; mode: TlsMode; memory: TlsMemory | undefined },
): boolean {
  if (rung.kind === 'plaintext') return memory?.tlsSeen === true || (mode === 'auto' && address.scheme !== 'http');
  return rung.kind === 'unverified' && mode === 'auto' && memory === undefined;
}

interface KeyOptions {
  io: Io;
  settings: ClientSettings;
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
  const { lentRungRemarks, requireKeyMayGo } = await import('./profile-server.ts');
  const ofRungs = await lentRungRemarks(settings, address, lent);
  // What answers without a key gets none that is not meant for it.
  if (lent.lends.apiKey && !needsKey && !lent.isNamed) return { apiKey: undefined, remarks: ofRungs };
  const ofKey = lent.lends.apiKey ? await requireKeyMayGo({ io, signal }, address, lent) : [];
  return { apiKey: await apiKeyOf({ io, signal }, settings), remarks: [...ofKey, ...ofRungs] };
}

interface RememberOptions {
  settings: ClientSettings;
  address: Address;
  mode: TlsMode;
  signal: AbortSignal;
}

/** Returns what to tell about it. */
async function remember(learned: TlsMemory | undefined, { settings, ...options }: RememberOptions): Promise<string[]> {
  const path = settings.place?.path;
  if (learned === undefined || path === undefined) return [];
  const { rememberCertificate } = await import('./profile-server.ts');
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
export async function tellWarning(io: Pick<Io, 'stderr'>, settings: ClientSettings): Promise<void> {
  const warning = await settings.warning();
  if (warning !== undefined) await tell(io, [warning]);
}

/** The API key that the settings name, undefined when there is none. */
export async function apiKeyOf(
  context: Pick<CommandContext, 'io' | 'signal'>,
  settings: ClientSettings,
): Promise<string | undefined> {
  const { value: place, source } = await settings.apiKey();
  if (place === undefined) return undefined;
  if (place.kind === 'text') return headerValue(place.text, source);
  const { readSecret } = await import('../input/prompt.ts');
  const key = await readSecret(context, place.file, 'API key');
  return headerValue(key, place.file === '-' ? 'stdin' : `the file ${place.file}`);
}

function headerValue(key: string, source: string): string {
  if (/^[\u0021-\u007e]+$/.test(key)) return key;
  throw usageError(`The API key from ${source} is ${key === '' ? 'empty' : 'not made of visible ASCII characters'}`);
}

/** An answer within this time is perceived as immediate. */
const SILENT_MS = 300;
const TICK_MS = 1000;

/** Says on stderr, where a line can be redrawn, that the server has not answered yet, and for how long. */
class Waiting {
  readonly #line: ProgressLine;
  readonly #authority: string;
  /** Calls under way: several may wait at once. */
  #count = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(io: Pick<Io, 'stderr' | 'redraws' | 'width'>, authority: string) {
    this.#line = new ProgressLine(io);
    this.#authority = authority;
  }

  /** Does the work; the line is gone when it ends. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#count += 1;
    if (this.#count === 1) this.#start(performance.now());
    try {
      return await work();
    } finally {
      this.#count -= 1;
      if (this.#count === 0) {
        clearTimeout(this.#timer);
        await this.#line.clear();
      }
    }
  }

  #start(since: number): void {
    const show = (): void => {
      const seconds = Math.floor((performance.now() - since) / 1000) * 1000;
      const elapsed = seconds === 0 ? '' : ` ${durationText(seconds)}`;
      void this.#line.show(`Waiting for ${this.#authority} …${elapsed}`).catch(() => {});
      this.#timer = setTimeout(show, TICK_MS);
    };
    this.#timer = setTimeout(show, SILENT_MS);
  }
}

/**
 * The client, with a line on stderr while a call runs. Calls with a signal of their own belong to work that shows by itself how
 * far it is; so do streams where there is a screen.
 */
function waitedFor(client: Client, waiting: Waiting, { hasScreen }: { hasScreen: boolean }): Client {
  return {
    authority: client.authority,
    call: (method, request, options) => {
      const call = () => client.call(method, request, options);
      return options?.signal === undefined ? waiting.during(call) : call();
    },
    stream: (method, request, options) => {
      const events = client.stream(method, request, options);
      return options?.signal === undefined && !hasScreen ? untilFirst(events, waiting) : events;
    },
    duplex: (method, options) => client.duplex(method, options),
    close: () => client.close(),
  };
}

async function* untilFirst<T>(events: AsyncIterable<T>, waiting: Waiting): AsyncGenerator<T> {
  const iterator = events[Symbol.asyncIterator]();
  try {
    let next = await waiting.during(() => iterator.next());
    for (; next.done !== true; next = await iterator.next()) yield next.value;
  } finally {
    await iterator.return?.();
  }
}
