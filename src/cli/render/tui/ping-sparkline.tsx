import { Text } from 'ink';
import type { ReactNode } from 'react';
import type { PingResult } from '../../../shared/gen/service/v1/ping_pb.ts';

const BARS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;
/** Of its own shape, so that it is seen without colours too. */
export const FAILED_MARK = '×';

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
  return <Text wrap="truncate">{runsOf(sparklineMarks(probes, width)).map(coloured)}</Text>;
}

interface Run {
  text: string;
  /** Where it begins. */
  at: number;
}

/** Neighbours of one kind together: a colour is then switched where it changes, and not at every mark. */
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

function coloured({ text, at }: Run): ReactNode {
  return (
    <Text key={at} color={isFailed(text) ? 'red' : 'cyan'}>
      {text}
    </Text>
  );
}
