import { Box, Text } from 'ink';
import type { ReactElement } from 'react';
import type { Entry, Progress, ResultEntry, SummaryEntry } from '../../retrieval/entries.ts';
import { explainTable } from '../explain-table.ts';
import { indentOf, marginOf, textLines, WIDEST_TEXT } from '../retrieve-card.ts';
import { noteText, summaryLines } from '../retrieve-lines.ts';
import { nothingFound, type RetrievalPlan } from '../retrieve-words.ts';
import { MarkedText } from './parts/marked-text.tsx';
import { Heading, SourceLine } from './retrieve-heading.tsx';
import { SummaryLine } from './retrieve-summary.tsx';

export interface EntryProps {
  entry: Entry;
  progress: Progress;
  plan: RetrievalPlan;
  /** Whole chunks. */
  full: boolean;
  width: number;
  /** Epoch milliseconds. */
  now: number;
  color: boolean;
}

/** Something that stays on the screen, with an empty line below it. */
export function EntryView(props: EntryProps): ReactElement {
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
