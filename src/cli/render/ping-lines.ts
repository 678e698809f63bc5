import type { PingResult, PingServerMessage } from '../../shared/gen/service/v1/ping_pb.ts';
import type { EventWriter } from '../kit/output/event-writer.ts';
import type { Io } from '../kit/output/io.ts';
import { errorText, headingText, milliseconds, noticeText, splitText, summaryText } from './ping-text.ts';

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
export function resultLine(result: PingResult): string {
  const { seq, ok, rttMs, httpStatus, bytesSent, bytesReceived } = result;
  const parts = [`seq=${seq}`, `time=${milliseconds(rttMs)} ms`];
  if (httpStatus !== undefined) parts.push(`status=${httpStatus}`);
  parts.push(`sent=${bytesSent}`, `received=${bytesReceived}`);
  const split = splitText(result);
  if (split !== '') parts.push(split);
  if (!ok) parts.push(`error: ${errorText(result)}`);
  return parts.join(' ');
}
