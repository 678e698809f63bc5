import type { PingResult, PingServerMessage, PingSummary } from '../../shared/gen/service/v1/ping_pb.ts';
import type { Io } from '../io.ts';
import type { EventWriter } from './event-writer.ts';
import { oneLine } from './printable.ts';

/** Probes as ping shows them: a line each, statistics at the end. */
export function pingLines(io: Pick<Io, 'stdout' | 'stderr'>): EventWriter<PingServerMessage> {
  let isHeaded = false;
  return {
    event: async ({ event }) => {
      switch (event.case) {
        case 'notice':
          return io.stderr.write(`note: ${oneLine(event.value.message)} (${event.value.code})\n`);
        case 'summary':
          return io.stdout.write(summaryText(event.value));
        case 'result': {
          const heading = isHeaded ? '' : headingText(event.value);
          isHeaded = true;
          return io.stdout.write(`${heading}${resultLine(event.value)}\n`);
        }
        default:
      }
    },
    end: async () => {},
  };
}

function headingText({ endpoint }: PingResult): string {
  if (endpoint === undefined) return '';
  const { provider, modelIdentifier, resolvedEndpoint } = endpoint;
  return `PING ${oneLine(modelIdentifier)} (${provider}) at ${oneLine(resolvedEndpoint)}\n`;
}

export function resultLine({ seq, ok, rttMs, httpStatus, bytesSent, bytesReceived, errorMessage }: PingResult): string {
  const parts = [`seq=${seq}`, `time=${milliseconds(rttMs)} ms`];
  if (httpStatus !== undefined) parts.push(`status=${httpStatus}`);
  parts.push(`sent=${bytesSent}`, `received=${bytesReceived}`);
  if (!ok) parts.push(`error: ${oneLine(errorMessage ?? 'failed')}`);
  return parts.join(' ');
}

function summaryText(summary: PingSummary): string {
  const { requests, ok, timeouts, errors } = summary;
  const failed = requests === 0 ? 0 : Math.round(((requests - ok) / requests) * 100);
  const lines = [
    '',
    `--- ${oneLine(summary.endpoint?.modelIdentifier ?? '')} ping statistics ---`,
    `${requests} probes, ${ok} ok, ${errors} errors, ${timeouts} time-outs, ${failed}% failed`,
  ];
  if (ok > 0) {
    const { rttMinMs, rttAvgMs, rttP50Ms, rttP90Ms, rttP99Ms, rttMaxMs } = summary;
    const values = [rttMinMs, rttAvgMs, rttP50Ms, rttP90Ms, rttP99Ms, rttMaxMs].map(milliseconds).join('/');
    lines.push(`rtt min/avg/p50/p90/p99/max = ${values} ms`);
  }
  return `${lines.join('\n')}\n`;
}

function milliseconds(value: number): string {
  return value < 10 ? value.toFixed(2) : value.toFixed(1);
}
