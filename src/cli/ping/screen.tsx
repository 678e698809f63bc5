import { Box, Static, Text, useStdout } from 'ink';
import type { ReactNode } from 'react';
import { onAbort } from '../../shared/async/abort.ts';
import type { PingNotice, PingResult, PingServerMessage } from '../../shared/gen/service/v1/ping_pb.ts';
import type { Terminal } from '../kit/output/io.ts';
import { openScreen, useColumns } from '../kit/output/screen.tsx';
import { displayWidth, padEnd } from '../kit/text/printable.ts';
import { headingText, milliseconds, noticeText, type PingDisplay, summaryText } from './lines.ts';
import { ProbeRow, ROW_HEADINGS, Sparkline } from './row.tsx';
import { lossPercent, type PingTally, tallyOf } from './tally.ts';

interface PingScreenOptions {
  /** Ctrl-C: the command goes on until the statistics have come, and that is said. */
  signal: AbortSignal;
  /** Probes that were asked for. */
  count: number;
}

export async function openPingScreen(terminal: Terminal, { signal, count }: PingScreenOptions): Promise<PingDisplay> {
  const { stdout } = terminal;
  let picture: PingPictureProps = { items: [], live: { results: [], count, isEnding: false } };
  const screen = await openScreen(terminal, <PingPicture {...picture} />);
  const show = (next: PingPictureProps): void => {
    picture = next;
    screen.render(<PingPicture {...picture} />);
  };
  const sayEnding = (): void => {
    const { live } = picture;
    if (live !== undefined) show({ ...picture, live: { ...live, isEnding: true } });
  };
  const unlisten = onAbort(signal, sayEnding);
  return {
    get width() {
      return stdout.columns;
    },
    say: async (text) => show({ ...picture, items: [...picture.items, { kind: 'text', text }] }),
    event: async (message) => show(pictureAfter(picture, message, stdout.columns)),
    end: async () => {
      unlisten();
      show({ ...picture, live: undefined });
      await screen.close();
    },
  };
}

/** What stays on the screen. */
type Item =
  | { kind: 'heading' | 'text'; text: string }
  | { kind: 'probe'; result: PingResult }
  | { kind: 'sparkline'; results: readonly PingResult[] };

interface PingPictureProps {
  items: readonly Item[];
  /** Undefined once the statistics have come. */
  live: PingLiveProps | undefined;
  /** Their last line: a live area that becomes empty would leave an empty line behind. */
  last?: string;
}

/** The picture after one more event. `columns` is the width that statistics may fill. */
function pictureAfter(before: PingPictureProps, { event }: PingServerMessage, columns: number): PingPictureProps {
  const { items, live } = before;
  const results = live?.results ?? [];
  switch (event.case) {
    case 'notice': {
      const count = countAfter(event.value);
      return {
        items: [...items, { kind: 'text', text: noticeText(event.value) }],
        live: live === undefined || count === undefined ? live : { ...live, count },
      };
    }
    case 'result': {
      const result = event.value;
      const { endpoint } = result;
      const heading: Item[] =
        results.length > 0 || endpoint === undefined ? [] : [{ kind: 'heading', text: headingText(endpoint) }];
      return {
        items: [...items, ...heading, { kind: 'probe', result }],
        live: live === undefined ? live : { ...live, results: [...results, result] },
      };
    }
    case 'summary': {
      const sparkline: Item[] = results.length === 0 ? [] : [{ kind: 'sparkline', results }];
      const lines = summaryText(event.value, columns).trimEnd().split('\n');
      const text = lines.slice(0, -1).join('\n');
      return { items: [...items, ...sparkline, { kind: 'text', text }], live: undefined, last: lines.at(-1) ?? '' };
    }
    default:
      return before;
  }
}

function countAfter({ code, details }: PingNotice): number | undefined {
  return code === 'COUNT_CLAMPED' && details.applied !== undefined ? Number(details.applied) : undefined;
}

function PingPicture({ items, live, last }: PingPictureProps): ReactNode {
  return (
    <>
      <Static items={[...items]}>{(item, index) => <Kept key={index} item={item} />}</Static>
      {live === undefined ? <Text>{last}</Text> : <PingLive {...live} />}
    </>
  );
}

function Kept({ item }: { item: Item }): ReactNode {
  const { columns } = useStdout().stdout;
  switch (item.kind) {
    case 'heading':
      return (
        <Box flexDirection="column" width={columns}>
          <Text bold>{item.text}</Text>
          <Text dimColor wrap="truncate">
            {ROW_HEADINGS}
          </Text>
        </Box>
      );
    case 'probe':
      return <ProbeRow result={item.result} width={columns} />;
    case 'sparkline':
      return (
        <Box marginTop={1}>
          <Sparkline probes={item.results} width={columns} />
        </Box>
      );
    default:
      return <Text>{item.text}</Text>;
  }
}

interface PingLiveProps {
  results: readonly PingResult[];
  /** Probes that there will be. */
  count: number;
  /** Ctrl-C was pressed: the server's statistics are awaited. */
  isEnding: boolean;
}

/** The part that is redrawn: the last round trips, their statistics, how far it is. */
function PingLive({ results, count, isEnding }: PingLiveProps): ReactNode {
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
