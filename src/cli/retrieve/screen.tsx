import { Box, Static, Text } from 'ink';
import type { ReactElement } from 'react';
import type { RetrieveMemoryEvent } from '../../shared/gen/service/v1/memory_pb.ts';
import type { Ending, EventWriter } from '../kit/output/event-writer.ts';
import type { Io, Terminal } from '../kit/output/io.ts';
import { openScreen } from '../kit/output/screen.tsx';
import { indentOf, marginOf, textLines, WIDEST_TEXT } from './card.ts';
import { type Entry, type ResultEntry, type RetrievalProgress, readerOf, type SummaryEntry } from './entries.ts';
import { explainTable, noteText, type RetrieveViewOptions, summaryLines } from './lines.ts';
import { createFrames, Elapsed, Heading, MarkedText, SourceLine, SummaryLine } from './parts.tsx';
import { elapsedText, endingText, nothingFound, type RetrievalOverview, stageText } from './plan.ts';

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
  progress: RetrievalProgress;
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

interface EntryProps {
  entry: Entry;
  progress: RetrievalProgress;
  plan: RetrievalOverview;
  /** Whole chunks. */
  full: boolean;
  width: number;
  /** Epoch milliseconds. */
  now: number;
  color: boolean;
}

/** Something that stays on the screen, with an empty line below it. */
function EntryView(props: EntryProps): ReactElement {
  return (
    <Box flexDirection="column" width={props.width} marginBottom={1}>
      <EntryBody {...props} />
    </Box>
  );
}

function EntryBody({ entry, progress, plan, full, width, now, color }: EntryProps): ReactElement {
  switch (entry.kind) {
    case 'result':
      return <Card entry={entry} indent={indentOf(progress.expected ?? entry.rank)} {...{ full, width, now }} />;
    case 'note':
      return <Text color="yellow">{noteText(entry.status)}</Text>;
    case 'explain':
      return <Text>{explainTable(entry.details, { width, color }).trimEnd()}</Text>;
    case 'summary':
      return <Summary {...{ entry, progress, plan, full, width, now, color }} />;
    case 'nothing': {
      const [what, next] = nothingFound(progress, plan);
      return <Text>{`${what}\n${next}`}</Text>;
    }
  }
}

type SummaryProps = Omit<EntryProps, 'entry'> & { entry: SummaryEntry };

interface CardProps {
  entry: ResultEntry;
  indent: number;
  full: boolean;
  width: number;
  now: number;
}

function Card({ entry, indent, full, width, now }: CardProps): ReactElement {
  const lines = textLines(entry, Math.min(width, WIDEST_TEXT) - indent, full);
  return (
    <>
      <Heading {...{ entry, indent, width, now }} />
      {lines.map((line, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a card never change
        <Text key={at} dimColor={!line.isFound}>
          {marginOf(line, lines, indent)}
          <MarkedText text={line.text} question={entry.question} />
        </Text>
      ))}
    </>
  );
}

function Summary({ entry: { text, sources = [] }, progress, plan, full, width, now }: SummaryProps): ReactElement {
  const indent = indentOf(Math.max(0, ...sources.map(({ rank }) => rank)));
  return (
    <>
      {plan.answers ? null : <Text bold>Summary</Text>}
      {summaryLines(text, width, plan.answers).map((line, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a summary never change
        <SummaryLine key={at} line={line || ' '} results={progress.results} />
      ))}
      {sources.length === 0 ? null : <Text> </Text>}
      {sources.map((source) =>
        full ? (
          <Box key={source.rank} flexDirection="column" marginBottom={1}>
            <Card entry={source} {...{ indent, full, width, now }} />
          </Box>
        ) : (
          <SourceLine key={source.rank} entry={source} {...{ indent, width, now }} />
        ),
      )}
    </>
  );
}
