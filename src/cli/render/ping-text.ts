import {
  type PingEndpoint,
  type PingNotice,
  type PingResult,
  type PingSummary,
  TargetType,
} from '../../shared/gen/service/v1/ping_pb.ts';
import type { RttFigures } from '../../shared/rtt-figures.ts';
import { counted } from '../kit/text/figures.ts';
import { displayWidth, oneLine } from '../kit/text/printable.ts';
import { isAnswered, lossPercent, type PingTally, timeSplit } from '../ping/tally.ts';

const KINDS: Partial<Record<TargetType, string>> = {
  [TargetType.EMBEDDER]: 'embedder',
  [TargetType.RERANKER]: 'reranker',
  [TargetType.LLM]: 'LLM',
};

/** What is probed, and where. */
export function headingText({ targetType, provider, modelIdentifier, resolvedEndpoint }: PingEndpoint): string {
  const kind = [provider, KINDS[targetType]].filter(Boolean).join(' ');
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
