import { Text } from 'ink';
import type { ReactElement } from 'react';
import { ScoreBar } from '../../kit/output/screen.tsx';
import type { ResultEntry } from '../../retrieval/entries.ts';
import { headingOf, scoreShare } from '../retrieve-card.ts';

const BAR = 10;
const NARROWEST_WITH_BAR = 50;

export interface HeadingProps {
  entry: ResultEntry;
  /** Columns for the label and the space behind it. */
  indent: number;
  /** Columns for all of it. */
  width: number;
  /** Epoch milliseconds. */
  now: number;
}

/** The first line of a result: label, score, title, age. */
export function Heading({ entry, indent, width, now }: HeadingProps): ReactElement {
  const hasBar = width >= NARROWEST_WITH_BAR;
  const { label, score, title, age } = headingOf(entry, width - indent - (hasBar ? BAR + 1 : 0), now);
  return (
    <Text wrap="truncate">
      <Text color="cyan" bold>
        {label}
      </Text>
      {' '.repeat(Math.max(1, indent - label.length))}
      {hasBar ? <ScoreBar share={scoreShare(entry.item.relevanceScore, entry.stageName)} columns={BAR} /> : null}
      {hasBar ? ' ' : ''}
      {score}
      {'  '}
      <Text bold>{title}</Text>
      {age === '' ? null : <Text dimColor>{`  ${age}`}</Text>}
    </Text>
  );
}

/** A source of an answer: its label, where it stands, how old it is. */
export function SourceLine({ entry, indent, width, now }: HeadingProps): ReactElement {
  const { label, title, age } = headingOf(entry, width - indent, now);
  return (
    <Text wrap="truncate">
      <Text color="cyan" bold>
        {label.padEnd(indent)}
      </Text>
      {title}
      {age === '' ? null : <Text dimColor>{`  ${age}`}</Text>}
    </Text>
  );
}
