import { Box, Static, Text, useStdout } from 'ink';
import type { ReactNode } from 'react';
import type { PingNotice, PingResult, PingServerMessage } from '../../../shared/gen/service/v1/ping_pb.ts';
import { headingText, noticeText, summaryText } from '../ping-text.ts';
import { PingLive, type PingLiveProps } from './ping-live.tsx';
import { ProbeRow, ROW_HEADINGS } from './ping-row.tsx';
import { Sparkline } from './ping-sparkline.tsx';

/** What stays on the screen. */
type Item =
  | { kind: 'heading' | 'text'; text: string }
  | { kind: 'probe'; result: PingResult }
  | { kind: 'sparkline'; results: readonly PingResult[] };

export interface PingPictureProps {
  items: readonly Item[];
  /** Undefined once the statistics have come. */
  live: PingLiveProps | undefined;
  /** Their last line: a live area that becomes empty would leave an empty line behind. */
  last?: string;
}

/** The picture after one more event. `columns` is the width that statistics may fill. */
export function pictureAfter(
  before: PingPictureProps,
  { event }: PingServerMessage,
  columns: number,
): PingPictureProps {
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

export function PingPicture({ items, live, last }: PingPictureProps): ReactNode {
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
