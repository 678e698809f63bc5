import { EmbedderService } from '../../shared/gen/service/v1/embedder_pb.ts';
import {
  PayloadTypeSchema,
  PingControl,
  PingResultSchema,
  PingServerMessageSchema,
  PingService,
} from '../../shared/gen/service/v1/ping_pb.ts';
import type { Client } from '../client/client.ts';
import { type CommandContext, command, optional } from '../command.ts';
import { CommandError, EXIT, Interrupted, partialError, usageError } from '../failure.ts';
import { enumChoice } from '../flags/enum.ts';
import type { FlagValues } from '../flags/flag.ts';
import { integer, text, toggle } from '../flags/kinds.ts';
import { given } from '../flags/optional.ts';
import { duration } from '../flags/time.ts';
import { eventWriter } from '../render/event-writer.ts';
import { pingLines, resultLine } from '../render/ping-lines.ts';
import { writeRecord } from '../render/records.ts';

const FLAGS = {
  stream: toggle('--stream', 'Probe again and again'),
  count: integer('-c, --count <n>', 'Number of probes (default 4)', { min: 1 }),
  interval: duration('-i, --interval <time>', 'Between two probes: 1s, 500ms (default 1s)'),
  timeout: duration('-t, --timeout <time>', 'Of one probe (default 5s)'),
  size: integer('-s, --size <bytes>', 'Size of the payload (default 64)', { min: 1 }),
  payload: text('--payload <text>', 'Payload to send'),
  payloadType: enumChoice('--payload-type <type>', 'Type of the payload', PayloadTypeSchema),
  jitter: toggle('--jitter', 'Vary the interval by up to 20 percent'),
  inFlight: integer('--in-flight <n>', 'Probes under way at once (default 1)', { min: 1 }),
};
type Flags = FlagValues<typeof FLAGS>;

/** How long the server may take for its statistics after Ctrl-C. */
const SUMMARY_TIMEOUT_MS = 3000;
const DEFAULT_COUNT = 4;
const DEFAULT_INTERVAL_MS = 1000;
const DEFAULT_TIMEOUT_MS = 5000;

export const ping = command({
  name: 'ping',
  summary: 'Probe an embedder, LLM or reranker',
  notes:
    'One probe, or several with --stream; each is one small real call. Without an id it probes the default embedder.',
  args: { id: optional('id', 'Id of the target') },
  flags: FLAGS,
  examples: ['ping', 'ping 01980000-0000-7000-8000-0000000000c1', 'ping --stream -c 10 -i 500ms'],
  async run(context, { args, flags }) {
    if (flags.payload !== undefined && flags.size !== undefined) throw usageError('Give --payload or --size, not both');
    const client = await context.client();
    const targetId = args.id ?? (await defaultEmbedder(client));
    return flags.stream ? pingStream(context, client, targetId, flags) : pingOnce(context, client, targetId, flags);
  },
});

/** The oldest embedder with the label that marks the default; lists are newest first. */
async function defaultEmbedder(client: Client): Promise<string> {
  const { embedders } = await client.call(EmbedderService.method.listEmbedders, { label: { default: 'true' } });
  const oldest = embedders.at(-1);
  if (oldest !== undefined) return oldest.embedderId;
  throw new CommandError('There is no default embedder', {
    code: 'NOT_FOUND',
    exit: EXIT.noInput,
    next: 'Name a target by its id: svc embedders list',
  });
}

function probeOptions({ timeout, size, payload, payloadType }: Flags) {
  return given({
    timeoutMs: timeout === undefined ? undefined : BigInt(timeout),
    payload,
    payloadSizeBytes: size === undefined ? undefined : BigInt(size),
    payloadType,
  });
}

async function pingOnce(
  { io }: CommandContext,
  client: Client,
  targetId: string,
  flags: Flags,
): Promise<number | undefined> {
  const { count, interval, jitter, inFlight } = flags;
  if (count !== undefined || interval !== undefined || jitter || inFlight !== undefined) {
    throw usageError('-c, -i, --jitter and --in-flight need --stream');
  }
  const result = await client.call(PingService.method.pingOnce, { targetId, ...probeOptions(flags) });
  if (io.isData) await writeRecord(io, { desc: PingResultSchema, columns: [] }, result);
  else await io.stdout.write(`${resultLine(result)}\n`);
  return result.ok ? undefined : EXIT.failed;
}

async function pingStream(
  { io, signal }: CommandContext,
  client: Client,
  targetId: string,
  flags: Flags,
): Promise<number | undefined> {
  // Not the command's own signal: after Ctrl-C the call goes on until the statistics have come.
  const stop = new AbortController();
  const options = { signal: stop.signal, timeoutMs: longestMs(flags), outlives: true };
  const rpc = client.duplex(PingService.method.ping, options);
  const cancel = (): void => {
    rpc.send({ message: { case: 'control', value: PingControl.CANCEL } });
    setTimeout(() => stop.abort(signal.reason), SUMMARY_TIMEOUT_MS).unref();
  };
  rpc.send({ message: { case: 'config', value: configOf(targetId, flags) } });
  signal.addEventListener('abort', cancel, { once: true });
  const writer = eventWriter(io, PingServerMessageSchema, pingLines(io));
  let okCount = 0;
  let isSummed = false;
  try {
    for await (const message of rpc.events) {
      if (message.event.case === 'result' && message.event.value.ok) okCount += 1;
      if (message.event.case === 'summary') isSummed = true;
      await writer.event(message);
    }
  } finally {
    signal.removeEventListener('abort', cancel);
    await writer.end();
  }
  if (signal.reason instanceof Interrupted) return signal.reason.exit;
  if (!isSummed) throw partialError('The stream ended before its statistics');
  return okCount > 0 ? undefined : EXIT.failed;
}

function configOf(targetId: string, flags: Flags) {
  const { count, interval, jitter, inFlight } = flags;
  return {
    targetId,
    jitter,
    ...probeOptions(flags),
    ...given({
      count: count === undefined ? undefined : BigInt(count),
      intervalMs: interval === undefined ? undefined : BigInt(interval),
      maxInFlight: inFlight === undefined ? undefined : BigInt(inFlight),
    }),
  };
}

/** A bound on the whole stream: every probe late by the jitter and up to its time-out, and a minute. */
function longestMs({ count, interval, timeout }: Flags): number {
  const probeMs = (interval ?? DEFAULT_INTERVAL_MS) * 1.2 + (timeout ?? DEFAULT_TIMEOUT_MS);
  return (count ?? DEFAULT_COUNT) * probeMs + 60_000;
}
