import { Box, Text } from 'ink';
import type { ReactElement } from 'react';
import { cut, oneLine } from '../kit/text/printable.ts';
import type { ListedEntry } from './browser.ts';
import { textLines, WIDEST_TEXT } from './card.ts';
import { Heading } from './parts.tsx';

/** How the browser of results divides the terminal. */
export interface PageLayout {
  /** Columns of the terminal. */
  width: number;
  /** Rows between the heading and the keys. */
  rows: number;
  /** Results that fit there. */
  entries: number;
  /** Columns for a text beside its mark. */
  columns: number;
}

/** Heading, rule, keys, and the last row, which stays empty: a line feed there would scroll. */
const AROUND = 4;
const ROWS_OF_ENTRY = 2;
export const MARK = 2;

export function pageOf({ columns, rows }: { columns: number; rows: number }): PageLayout {
  const body = Math.max(1, rows - AROUND);
  return {
    width: columns,
    rows: body,
    entries: Math.max(1, Math.floor(body / ROWS_OF_ENTRY)),
    columns: Math.max(1, Math.min(columns - MARK, WIDEST_TEXT)),
  };
}

interface ListedEntryProps {
  entry: ListedEntry;
  isSelected: boolean;
  /** Columns for a label and the space behind it. */
  indent: number;
  width: number;
  /** Epoch milliseconds. */
  now: number;
}

/** An entry of the list: its title, and the beginning of its text below. */
export function ListedEntryView({ entry, isSelected, indent, width, now }: ListedEntryProps): ReactElement {
  const room = width - MARK - indent;
  return (
    <Box flexDirection="column">
      <Box>
        <Text color="cyan" bold>
          {(isSelected ? '>' : '').padEnd(MARK)}
        </Text>
        <EntryTitle {...{ entry, indent, now }} width={width - MARK} />
      </Box>
      <Text wrap="truncate" dimColor={!isSelected}>
        {' '.repeat(MARK + indent)}
        {cut(beginningOf(entry, room), room)}
      </Text>
    </Box>
  );
}

/** The first line of an entry. */
export function EntryTitle({ entry, ...layout }: Omit<ListedEntryProps, 'isSelected'>): ReactElement {
  switch (entry.kind) {
    case 'result':
      return <Heading entry={entry} {...layout} />;
    case 'note':
      return <Text color="yellow">{`note: ${oneLine(entry.status.code)}`}</Text>;
    case 'summary':
      return <Text bold>Summary</Text>;
    case 'explain':
      return <Text bold>How the search ran</Text>;
  }
}

function beginningOf(entry: ListedEntry, room: number): string {
  switch (entry.kind) {
    case 'result': {
      const lines = textLines(entry, room, false).filter(({ isFound }) => isFound);
      return lines.map(({ text }) => text).join(' ');
    }
    case 'note':
      return oneLine(entry.status.message);
    case 'summary':
      return oneLine(entry.text);
    case 'explain':
      return Object.entries(entry.details)
        .filter(([name]) => name.endsWith('Ms'))
        .map(([name, ms]) => `${name.slice(0, -2)} ${ms} ms`)
        .join('  ');
  }
}
