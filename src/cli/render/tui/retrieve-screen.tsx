import { Box, Static, Text } from 'ink';
import type { ReactElement } from 'react';
import type { RetrieveMemoryEvent } from '../../../shared/gen/service/v1/memory_pb.ts';
import type { Ending, EventWriter } from '../../kit/output/event-writer.ts';
import type { Io, Terminal } from '../../kit/output/io.ts';
import { openScreen } from '../../kit/output/screen.tsx';
import { type Entry, type Progress, readerOf } from '../../retrieval/entries.ts';
import { type RetrieveViewOptions, summaryLines } from '../retrieve-lines.ts';
import { elapsedText, endingText, stageText } from '../retrieve-words.ts';
import { createFrames } from './frames.ts';
import { Elapsed } from './parts/elapsed.tsx';
import { EntryView } from './retrieve-entry.tsx';
import { SummaryLine } from './retrieve-summary.tsx';

/** The heading, the last line and the empty line between them, and the row of the cursor: nothing may scroll. */
const OTHER_ROWS = 5;

type ScreenIo = Pick<Io, 'color' | 'now'>;

/** Results as they come, each one drawn once and for all; below them a line that says what happens now. */
export async function retrieveScreen(
  io: ScreenIo,
  terminal: Terminal,
  options: RetrieveViewOptions,
): Promise<EventWriter<RetrieveMemoryEvent>> {
  const reader = readerOf(options.plan);
  const since = io.now();
  let entries: readonly Entry[] = [];
  let ending: { how: Ending; ms: number } | undefined;
  const picture = (): ReactElement => (
    <RetrieveScreen {...{ io, terminal, options, entries, since, ending }} progress={reader.progress} />
  );
  const screen = await openScreen(terminal, picture());
  const frames = createFrames(() => screen.render(picture()));
  return {
    event: async (event) => {
      entries = [...entries, ...reader.read(event)];
      frames.request();
    },
    end: async (how = 'complete') => {
      frames.stop();
      entries = [...entries, ...reader.end()];
      ending = { how, ms: io.now() - since };
      screen.render(picture());
      await screen.close();
    },
  };
}

interface RetrieveScreenProps {
  io: ScreenIo;
  terminal: Terminal;
  options: RetrieveViewOptions;
  entries: readonly Entry[];
  progress: Progress;
  since: number;
  ending: { how: Ending; ms: number } | undefined;
}

function RetrieveScreen(props: RetrieveScreenProps): ReactElement {
  const { io, terminal, options, entries, progress } = props;
  const common = { progress, ...options, now: io.now(), color: io.color };
  return (
    <>
      <Static items={[...entries]}>
        {(entry, at) => <EntryView key={at} entry={entry} width={terminal.stdout.columns} {...common} />}
      </Static>
      {progress.writing === '' || props.ending !== undefined ? null : <Writing {...props} />}
      <LastLine {...props} />
    </>
  );
}

/** The end of the summary that is being written: what fits above the last line. */
function Writing({ terminal: { stdout }, options: { plan }, progress }: RetrieveScreenProps): ReactElement {
  const lines = summaryLines(progress.writing, stdout.columns, plan.answers);
  const rows = Math.max(1, stdout.rows - OTHER_ROWS);
  return (
    <Box flexDirection="column" marginBottom={1}>
      {plan.answers || lines.length > rows ? null : <Text bold>Summary</Text>}
      {lines.slice(-rows).map((line, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line is known by its place
        <SummaryLine key={at} line={line || ' '} results={progress.results} />
      ))}
    </Box>
  );
}

/** Short, so that a terminal that is made narrower has no second line of it to leave behind. */
function LastLine({
  io,
  options: { plan },
  entries,
  progress,
  since,
  ending,
}: RetrieveScreenProps): ReactElement | null {
  if (ending === undefined) {
    return (
      <Text dimColor>
        {stageText(progress, plan)} · <Elapsed since={since} now={io.now} text={elapsedText} />
      </Text>
    );
  }
  const { how, ms } = ending;
  // The failure itself says more than that nothing came.
  if (how === 'broken' && entries.length === 0) return null;
  return <Text dimColor>{`${endingText(progress, plan, how)} · ${elapsedText(ms)}`}</Text>;
}
