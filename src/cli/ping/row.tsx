import { Text } from 'ink';
import type { ReactNode } from 'react';
import type { PingResult } from '../../shared/gen/service/v1/ping_pb.ts';
import { bytesText } from '../kit/text/figures.ts';
import { displayWidth, padEnd, padStart, wrap } from '../kit/text/printable.ts';
import { errorText, milliseconds, splitText, statusText } from './lines.ts';

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

const BARS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;
/** Of its own shape, so that it is seen without colors too. */
const FAILED_MARK = '×';

type Beat = Pick<PingResult, 'ok' | 'rttMs'>;

/** One mark a probe, the last `width` of them; bars are as high as the round trips are long, the longest fills its cell. */
export function sparklineMarks(probes: readonly Beat[], width: number): string[] {
  const shown = width > 0 ? probes.slice(-width) : [];
  const longest = Math.max(0, ...shown.filter(({ ok }) => ok).map(({ rttMs }) => rttMs));
  return shown.map(({ ok, rttMs }) => (ok ? bar(rttMs, longest) : FAILED_MARK));
}

function bar(rttMs: number, longest: number): string {
  const height = longest > 0 ? Math.ceil((rttMs / longest) * BARS.length) : 1;
  return BARS[Math.max(1, height) - 1] ?? BARS[0];
}

export function Sparkline({ probes, width }: { probes: readonly Beat[]; width: number }): ReactNode {
  return <Text wrap="truncate">{runsOf(sparklineMarks(probes, width)).map(colored)}</Text>;
}

interface Run {
  text: string;
  /** Where it begins. */
  at: number;
}

/** Neighbors of one kind together: a color is then switched where it changes, and not at every mark. */
function runsOf(marks: readonly string[]): Run[] {
  const runs: Run[] = [];
  for (const [at, mark] of marks.entries()) {
    const last = runs.at(-1);
    if (last !== undefined && isFailed(last.text) === isFailed(mark)) last.text += mark;
    else runs.push({ text: mark, at });
  }
  return runs;
}

function isFailed(text: string): boolean {
  return text.startsWith(FAILED_MARK);
}

function colored({ text, at }: Run): ReactNode {
  return (
    <Text key={at} color={isFailed(text) ? 'red' : 'cyan'}>
      {text}
    </Text>
  );
}
