import { onAbort } from '../../shared/async/abort.ts';
import { EXIT } from '../../shared/exit-codes.ts';
import {
  PingControl,
  type PingResult,
  PingResultSchema,
  type PingServerMessage,
  PingServerMessageSchema,
  PingService,
} from '../../shared/gen/service/v1/ping_pb.ts';
import type { Client } from '../kit/client/client.ts';
import { type CommandContext, optional } from '../kit/command.ts';
import { loneCommand } from '../kit/define-command.ts';
import { Interrupted, partialError } from '../kit/errors.ts';
import { eventWriter } from '../kit/output/event-writer.ts';
import { writeRecord } from '../kit/output/records.ts';
import { checkPingFlags, configOf, longestMs, PING_FLAGS, type PingFlags, probeCount, probeOptions } from './flags.ts';
import { type PingDisplay, pingLines, soFarText, writeProbe } from './lines.ts';
import { tallyOf } from './tally.ts';
import { resolveTarget } from './target.ts';

export const ping = loneCommand({
  notes:
    'One probe, or several with --stream; each is one small real call. Without a target it probes the default embedder. While it streams, Ctrl-\\ prints the statistics so far, and Ctrl-C prints them and ends with 130. Exit code 1: no probe succeeded.',
  args: { target: { ...optional('target', 'Id or display name of the target'), completes: 'targets' } },
  flags: PING_FLAGS,
  examples: ['ping', 'ping 01980000-0000-7000-8000-0000000000c1', 'ping --stream -c 10 -i 500ms'],
  async run(context, { args, flags }) {
    checkPingFlags(flags);
    if (flags.stream) return pingStream(context, args.target, flags);
    const { io } = context;
    const client = await context.client();
    const targetId = await resolveTarget(client, args.target);
    const result = await client.call(PingService.method.pingOnce, { targetId, ...probeOptions(flags) });
    if (io.isData) await writeRecord(io, { desc: PingResultSchema, columns: [] }, result);
    else await writeProbe(io, result);
    return result.ok ? undefined : EXIT.failed;
  },
});

/** How long the server may take for its statistics after Ctrl-C. */
const SUMMARY_TIMEOUT_MS = 3000;

/** Probes until the count, the server or a signal ends it. Returns the exit code when it is not 0. */
async function pingStream(
  context: CommandContext,
  target: string | undefined,
  flags: PingFlags,
): Promise<number | undefined> {
  const { io, signal } = context;
  const results: PingResult[] = [];
  let display: PingDisplay | undefined;
  const soFar = (): string =>
    soFarText(results[0]?.endpoint?.modelIdentifier ?? '', tallyOf(results), display?.width ?? io.width);
  // From the start: without a listener this key ends the process, and dumps its core.
  const release = io.onQuitKey(() => {
    const said = display === undefined ? io.stderr.write(soFar()) : display.say(soFar());
    said.catch(() => {});
  });
  try {
    const client = await context.client();
    const targetId = await resolveTarget(client, target);
    signal.throwIfAborted();
    const probes = openProbes(client, signal, configOf(targetId, flags), longestMs(flags));
    try {
      display = await openPingDisplay(context, flags, probes);
      return await follow({ events: probes.events, display, results, soFar, signal });
    } finally {
      probes.close();
      await display?.end();
    }
  } finally {
    release();
  }
}

interface Probes {
  events: AsyncIterable<PingServerMessage>;
  /** Throws if the server has refused the ping by now. */
  check(): Promise<void>;
  close(): void;
}

function openProbes(
  client: Client,
  signal: AbortSignal,
  config: ReturnType<typeof configOf>,
  timeoutMs: number,
): Probes {
  // Not the command's own signal: after Ctrl-C the call goes on until the statistics have come.
  const stop = new AbortController();
  const rpc = client.duplex(PingService.method.ping, { signal: stop.signal, timeoutMs, outlives: true });
  let timer: NodeJS.Timeout | undefined;
  const cancel = (): void => {
    rpc.send({ message: { case: 'control', value: PingControl.CANCEL } });
    timer = setTimeout(() => stop.abort(signal.reason), SUMMARY_TIMEOUT_MS);
  };
  rpc.send({ message: { case: 'config', value: config } });
  const unlisten = onAbort(signal, cancel);
  const iterator = rpc.events[Symbol.asyncIterator]();
  // Asked for at once: a screen takes a while to load, and until then a rejection would be unhandled.
  const first = iterator.next();
  first.catch(() => {});
  return {
    events: followed(first, iterator),
    check: async () => void (await Promise.race([first, undefined])),
    close: () => {
      unlisten();
      clearTimeout(timer);
      stop.abort();
    },
  };
}

async function* followed<T>(first: Promise<IteratorResult<T>>, rest: AsyncIterator<T>): AsyncGenerator<T> {
  for (let next = await first; next.done !== true; next = await rest.next()) yield next.value;
}

async function openPingDisplay({ io, signal }: CommandContext, flags: PingFlags, probes: Probes): Promise<PingDisplay> {
  if (io.events === 'tui' && io.terminal !== undefined) {
    const { openPingScreen } = await import('./screen.tsx');
    await probes.check();
    return openPingScreen(io.terminal, { signal, count: probeCount(flags) });
  }
  const writer = eventWriter(io, PingServerMessageSchema, pingLines(io));
  // Not part of the data: a program may count the lines of stdout.
  return { ...writer, width: io.width, say: (text) => io.stderr.write(text) };
}

interface Following {
  events: AsyncIterable<PingServerMessage>;
  display: PingDisplay;
  /** Takes the results as they come. */
  results: PingResult[];
  soFar: () => string;
  signal: AbortSignal;
}

async function follow({ events, display, results, soFar, signal }: Following): Promise<number | undefined> {
  let isSummed = false;
  try {
    for await (const message of events) {
      if (message.event.case === 'result') results.push(message.event.value);
      if (message.event.case === 'summary') isSummed = true;
      await display.event(message);
    }
  } catch (error) {
    if (!(signal.reason instanceof Interrupted)) throw error;
  }
  if (signal.reason instanceof Interrupted) {
    // A server that is gone or hangs sends no statistics: those of this client are written.
    if (!isSummed) await display.say(soFar());
    return signal.reason.exit;
  }
  if (!isSummed) throw partialError('The stream ended before its statistics');
  return results.some(({ ok }) => ok) ? undefined : EXIT.failed;
}
