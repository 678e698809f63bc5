import {
  type PingEndpoint,
  type PingNotice,
  type PingResult,
  type PingServerMessage,
  type PingSummary,
  TargetType,
} from '../../shared/gen/service/v1/ping_pb.ts';
import type { RttFigures } from '../../shared/rtt-figures.ts';
import { TARGET_KINDS } from '../../shared/target-kinds.ts';
import type { EventWriter } from '../kit/output/event-writer.ts';
import type { Io } from '../kit/output/io.ts';
import { bytesText, counted } from '../kit/text/figures.ts';
import { displayWidth, oneLine, wrap } from '../kit/text/printable.ts';
import { isAnswered, lossPercent, type PingTally, timeSplit } from './tally.ts';

const KINDS = new Map(Object.values(TARGET_KINDS).map(({ resource, word }) => [TargetType[resource], word]));

/** What is probed, and where. */
export function headingText({ targetType, provider, modelIdentifier, resolvedEndpoint }: PingEndpoint): string {
  const kind = [provider, KINDS.get(targetType)].filter(Boolean).join(' ');
  return `PING ${oneLine(modelIdentifier)} (${oneLine(kind)}) at ${oneLine(resolvedEndpoint)}`;
}

export function noticeText({ message, code, details }: PingNotice): string {
  const { requested, applied } = details;
  const change = requested === undefined || applied === undefined ? '' : ` from ${requested} to ${applied}`;
  return `note: ${oneLine(message)}${oneLine(change)} (${oneLine(code)})`;
}

/** The status of the answer; `ok` when there is none because the target runs in the server; else `no answer`. */
export function statusText(result: PingResult): string {
  if (result.httpStatus !== undefined) return String(result.httpStatus);
  return isAnswered(result) ? 'ok' : 'no answer';
}

/** Where the time went, "" when the target does not tell. */
export function splitText(result: PingResult): string {
  const split = timeSplit(result);
  return split === undefined ? '' : `network ${milliseconds(split.network)} + server ${milliseconds(split.server)} ms`;
}

/** What went wrong, "" when nothing did. */
export function errorText({ ok, errorMessage }: PingResult): string {
  return ok ? '' : oneLine(errorMessage ?? 'failed');
}

/** Of a running ping: whether a probe was too late only the server can tell. */
export function soFarText(name: string, tally: PingTally, width: number): string {
  const { requests, ok } = tally;
  const counts = `${counted(requests, 'probe')} so far, ${ok} ok, ${requests - ok} failed, ${lossPercent(tally)}% loss`;
  return statisticsText(name, counts, { ...tally, width });
}

export function summaryText(summary: PingSummary, width: number): string {
  const { requests, ok, timeouts, errors } = summary;
  const counts = [
    counted(requests, 'probe'),
    `${ok} ok`,
    counted(errors, 'error'),
    counted(timeouts, 'time-out'),
    `${lossPercent(summary)}% loss`,
  ];
  return statisticsText(summary.endpoint?.modelIdentifier ?? '', counts.join(', '), { ...summary, width });
}

interface Figures extends RttFigures {
  responses: number;
  /** Columns to fill. */
  width: number;
}

function statisticsText(name: string, counts: string, { responses, width, ...figures }: Figures): string {
  const lines = ['', ['---', oneLine(name), 'ping statistics ---'].filter(Boolean).join(' '), counts];
  if (responses > 0) {
    const { rttMinMs, rttAvgMs, rttP50Ms, rttP90Ms, rttP99Ms, rttMaxMs } = figures;
    const names = 'rtt min/avg/p50/p90/p99/max =';
    const times = `${[rttMinMs, rttAvgMs, rttP50Ms, rttP90Ms, rttP99Ms, rttMaxMs].map(milliseconds).join('/')} ms`;
    lines.push(...(displayWidth(`${names} ${times}`) <= width ? [`${names} ${times}`] : [names, `  ${times}`]));
  }
  return `${lines.join('\n')}\n`;
}

/** Three figures at least, one digit behind the point at least. */
export function milliseconds(value: number): string {
  return value < 9.995 ? value.toFixed(2) : value.toFixed(1);
}

/** Where a ping is shown. */
export interface PingDisplay extends EventWriter<PingServerMessage> {
  /** Columns to fill, now. */
  readonly width: number;
  /** Shows lines of text between two probes. */
  say(text: string): Promise<void>;
}

/** Probes as ping shows them: a line each, statistics at the end. */
export function pingLines(io: Pick<Io, 'stdout' | 'stderr' | 'width'>): EventWriter<PingServerMessage> {
  let isHeaded = false;
  return {
    event: async ({ event }) => {
      switch (event.case) {
        case 'notice':
          return io.stderr.write(`${noticeText(event.value)}\n`);
        case 'summary':
          return io.stdout.write(summaryText(event.value, io.width));
        case 'result': {
          const { endpoint } = event.value;
          const heading = isHeaded || endpoint === undefined ? '' : `${headingText(endpoint)}\n`;
          isHeaded = true;
          return io.stdout.write(`${heading}${resultLine(event.value)}\n`);
        }
        default:
      }
    },
    end: async () => {},
  };
}

/** One probe on one line, for people and for programs that cut lines at blanks. */
function resultLine(result: PingResult): string {
  const { seq, ok, rttMs, httpStatus, bytesSent, bytesReceived } = result;
  const parts = [`seq=${seq}`, `time=${milliseconds(rttMs)} ms`];
  if (httpStatus !== undefined) parts.push(`status=${httpStatus}`);
  parts.push(`sent=${bytesSent}`, `received=${bytesReceived}`);
  const split = splitText(result);
  if (split !== '') parts.push(split);
  if (!ok) parts.push(`error: ${errorText(result)}`);
  return parts.join(' ');
}

const CLAMPED = 'clamped.';
/** The flag of each setting of a probe that the server bounds, and the unit in which it tells the bound. */
const FLAGS: Readonly<Record<string, readonly [flag: string, unit: string]>> = {
  timeoutMs: ['--timeout', ' ms'],
  payloadSizeBytes: ['--size', ' bytes'],
};

/** One probe on its own: two sentences on a terminal, one line for programs. */
export async function writeProbe(io: Io, result: PingResult): Promise<void> {
  for (const [name, applied] of Object.entries(result.metadata)) {
    if (!name.startsWith(CLAMPED)) continue;
    const [flag, unit] = FLAGS[name.slice(CLAMPED.length)] ?? [name.slice(CLAMPED.length), ''];
    await io.stderr.write(`note: ${flag} was set to ${applied}${unit}, the limit of the server\n`);
  }
  await io.stdout.write(io.stdoutIsTerminal ? probeText(result, io) : `${resultLine(result)}\n`);
}

function probeText(result: PingResult, { width, color }: Pick<Io, 'width' | 'color'>): string {
  const { endpoint, ok } = result;
  const heading = endpoint === undefined ? [] : [headingText(endpoint)];
  const verdict = ok ? [`ok: ${courseText(result)}`] : [`failed: ${errorText(result)}`, courseText(result)];
  return [...heading, ...verdict]
    .flatMap((text) => wrap(text, width))
    .map((line) => `${color ? line.replace(/^(ok|failed):/, painted) : line}\n`)
    .join('');
}

/** How long it took, with what status, where the time went, how much was sent. */
function courseText(result: PingResult): string {
  const { rttMs, httpStatus, bytesSent, bytesReceived } = result;
  const time = `${milliseconds(rttMs)} ms`;
  if (!isAnswered(result)) return `no answer for ${time}; ${bytesText(bytesSent)} sent`;
  const status = httpStatus === undefined ? '' : ` with status ${httpStatus}`;
  const split = splitText(result);
  const parts = split === '' ? '' : ` (${split})`;
  return `answered in ${time}${status}${parts}; ${bytesText(bytesSent)} sent, ${bytesText(bytesReceived)} received`;
}

function painted(_sign: string, word: string): string {
  return `\u001b[${word === 'ok' ? 32 : 31}m${word}\u001b[39m:`;
}
