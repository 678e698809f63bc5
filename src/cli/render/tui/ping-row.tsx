import { Text } from 'ink';
import type { ReactNode } from 'react';
import type { PingResult } from '../../../shared/gen/service/v1/ping_pb.ts';
import { bytesText } from '../../kit/text/figures.ts';
import { displayWidth, padEnd, padStart, wrap } from '../../kit/text/printable.ts';
import { errorText, milliseconds, splitText, statusText } from '../ping-text.ts';
import { FAILED_MARK } from './ping-sparkline.tsx';

const GAP = '  ';
const SEQ = 4;
const TIME = 10;
const STATUS = 9;
const BYTES = 8;
/** Where the time of a probe begins: what belongs to it stands below. */
const INDENT = ' '.repeat(1 + SEQ + GAP.length);
const ROW_WIDTH = INDENT.length + TIME + STATUS + 2 * BYTES + 3 * GAP.length;

export const ROW_HEADINGS = [
  ` ${padStart('seq', SEQ)}`,
  padStart('time', TIME),
  padEnd('status', STATUS),
  padStart('sent', BYTES),
  padStart('received', BYTES),
].join(GAP);

/** One probe in columns; where the time went beside them if that fits, else below, as errors are. */
export function ProbeRow({ result, width }: { result: PingResult; width: number }): ReactNode {
  const { ok, seq, rttMs, bytesSent, bytesReceived } = result;
  const split = splitText(result);
  const isBeside = ROW_WIDTH + GAP.length + displayWidth(split) <= width;
  const below = [isBeside ? '' : split, errorText(result)].filter(Boolean);
  return (
    <>
      <Text wrap="truncate">
        <Text color="red">{ok ? ' ' : FAILED_MARK}</Text>
        {padStart(String(seq), SEQ) + GAP + padStart(`${milliseconds(rttMs)} ms`, TIME) + GAP}
        <Text color={ok ? 'green' : 'red'}>{padEnd(statusText(result), STATUS)}</Text>
        {GAP + padStart(bytesText(bytesSent), BYTES) + GAP + padStart(bytesText(bytesReceived), BYTES)}
        <Text dimColor>{isBeside && split !== '' ? GAP + split : ''}</Text>
      </Text>
      {below.map((text) => (
        <Text key={text} {...(text === split ? { dimColor: true } : { color: 'red' })}>
          {indented(text, width)}
        </Text>
      ))}
    </>
  );
}

function indented(text: string, width: number): string {
  return wrap(text, width - INDENT.length)
    .map((line) => INDENT + line)
    .join('\n');
}
