import { Box, Text } from 'ink';
import type { ReactNode } from 'react';
import type { PingResult } from '../../../shared/gen/service/v1/ping_pb.ts';
import { useColumns } from '../../kit/output/screen.tsx';
import { displayWidth, padEnd } from '../../kit/text/printable.ts';
import { lossPercent, type PingTally, tallyOf } from '../../ping/tally.ts';
import { milliseconds } from '../ping-text.ts';
import { Sparkline } from './ping-sparkline.tsx';

export interface PingLiveProps {
  results: readonly PingResult[];
  /** Probes that there will be. */
  count: number;
  /** Ctrl-C was pressed: the server's statistics are awaited. */
  isEnding: boolean;
}

/** The part that is redrawn: the last round trips, their statistics, how far it is. */
export function PingLive({ results, count, isEnding }: PingLiveProps): ReactNode {
  const columns = useColumns();
  if (isEnding) return <Text wrap="truncate">Waiting for the statistics; Ctrl-C again ends at once</Text>;
  if (results.length === 0) {
    return <Text wrap="truncate">{`Waiting for the first of ${count} probes; Ctrl-C ends`}</Text>;
  }
  return (
    <Box flexDirection="column" marginTop={1}>
      <Sparkline probes={results} width={columns} />
      {statisticsRows(tallyOf(results), count).map((row) => (
        <Text key={row} wrap="truncate">
          {row}
        </Text>
      ))}
    </Box>
  );
}

/**
 * Short enough for 60 columns: a row that a narrowed terminal wraps takes a line that Ink does not know of, and the next
 * picture would leave a part of this one behind.
 */
function statisticsRows(tally: PingTally, count: number): string[] {
  const { requests, responses, ok, rttMinMs, rttAvgMs, rttMaxMs, rttP50Ms, rttP90Ms, rttP99Ms } = tally;
  const progress = `${requests} of ${count} probes`;
  const losses = `${requests - ok} failed  ${lossPercent(tally)}% loss`;
  if (responses === 0) return [`${progress}  ${losses}`];
  const range = figuresText({ min: rttMinMs, avg: rttAvgMs, max: rttMaxMs });
  const percentiles = figuresText({ p50: rttP50Ms, p90: rttP90Ms, p99: rttP99Ms });
  const width = Math.max(displayWidth(range), displayWidth(percentiles));
  return [`${padEnd(range, width)}   ${progress}`, `${padEnd(percentiles, width)}   ${losses}`];
}

function figuresText(figures: Readonly<Record<string, number>>): string {
  const texts = Object.entries(figures).map(([name, value]) => `${name} ${milliseconds(value)}`);
  return `${texts.join('  ')} ms`;
}
