import { Box, Text, useInput } from 'ink';
import type { ReactElement } from 'react';
import { oneLine } from '../kit/text/printable.ts';
import { type BrowserState, type ListedEntry, matchingEntries, type OpenEntry, topOf } from './browser.ts';
import { indentOf } from './card.ts';
import { type Key, keysOf } from './keys.ts';
import type { RetrieveViewOptions } from './lines.ts';
import { EntryTitle, ListedEntryView, MARK, type PageLayout } from './listed.tsx';
import { Elapsed, MarkedText } from './parts.tsx';
import { searchText } from './passage.ts';
import { elapsedText, endingText, stageText } from './plan.ts';

interface BrowserViewProps {
  state: BrowserState;
  press: (key: Key) => void;
  page: PageLayout;
  options: RetrieveViewOptions;
  since: number;
  now: () => number;
}

/** The whole picture: heading, rule, list or text, and the keys. Always of the same height. */
export function BrowserView(props: BrowserViewProps): ReactElement {
  const { state, press, page } = props;
  useInput((input, key) => {
    for (const each of keysOf(input, key)) press(each);
  });
  return (
    <Box flexDirection="column" width={page.width}>
      <Box height={1}>
        {state.open === undefined ? <ListHeading {...props} /> : <TextHeading {...props} open={state.open} />}
      </Box>
      <Text dimColor>{'─'.repeat(page.width)}</Text>
      <Box flexDirection="column" height={page.rows} overflow="hidden">
        <Body {...props} />
      </Box>
      <Box height={1}>
        <Footer state={state} page={page} />
      </Box>
    </Box>
  );
}

function Body(props: BrowserViewProps): ReactElement {
  const { state, page } = props;
  if (state.showsKeys) return <KeyList />;
  return state.open === undefined ? <ResultList {...props} /> : <OpenText open={state.open} page={page} />;
}

function ListHeading({ state, options: { plan }, since, now }: BrowserViewProps): ReactElement {
  const { progress, ending } = state;
  return (
    <>
      <Box flexGrow={1} flexShrink={1} marginRight={2}>
        <Text bold wrap="truncate">
          {oneLine(plan.message).replace(/\s+/g, ' ')}
        </Text>
      </Box>
      <Box flexShrink={0}>
        {ending === undefined ? (
          <Text dimColor>
            {stageText(progress, plan)} · <Elapsed since={since} now={now} text={elapsedText} />
          </Text>
        ) : (
          <Text dimColor>{`${endingText(progress, plan, ending.how)} · ${elapsedText(ending.ms)}`}</Text>
        )}
      </Box>
    </>
  );
}

function TextHeading({ state, page, now, open }: BrowserViewProps & { open: OpenEntry }): ReactElement {
  return <EntryTitle entry={open.entry} indent={indentFor(state)} width={page.width} now={now()} />;
}

function ResultList({ state, page, now }: BrowserViewProps): ReactElement {
  const shown = matchingEntries(state, searchText);
  if (shown.length === 0) {
    const words = state.filter === '' ? 'No results yet' : 'Nothing matches. Esc shows everything again';
    return <Text>{words}</Text>;
  }
  const first = Math.max(0, Math.min(state.selected - Math.floor(page.entries / 2), shown.length - page.entries));
  return (
    <>
      {shown.slice(first, first + page.entries).map((entry, at) => (
        <ListedEntryView
          key={rowKey(entry, at)}
          entry={entry}
          isSelected={first + at === state.selected}
          indent={indentFor(state)}
          width={page.width}
          now={now()}
        />
      ))}
    </>
  );
}

function OpenText({ open, page }: { open: OpenEntry; page: PageLayout }): ReactElement {
  if (open.problem !== undefined)
    return <Text color="red">{`The text could not be fetched: ${oneLine(open.problem)}`}</Text>;
  if (open.linesOf === undefined) return <Text dimColor>Fetching the text</Text>;
  const lines = open.linesOf(page.columns);
  const top = topOf(open, lines, page.rows);
  return (
    <>
      {lines.slice(top, top + page.rows).map((line, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line is known by its place
        <Text key={top + at} wrap="truncate">
          <Text color="cyan">{line.isFound ? MARKED : UNMARKED}</Text>
          <Text bold={line.isFound}>
            <MarkedText text={line.text} question={open.entry.kind === 'result' ? open.entry.question : []} />
          </Text>
        </Text>
      ))}
    </>
  );
}

const MARKED = '▌'.padEnd(MARK);
const UNMARKED = ' '.repeat(MARK);

const KEYS: readonly (readonly [keys: string, does: string])[] = [
  ['↑ ↓ or k j', 'one up or down'],
  ['PgUp PgDn', 'one page up or down'],
  ['Home End', 'to the first or the last'],
  ['Enter or →', 'open the memory; what was found is marked'],
  ['Esc or ←', 'back to the list; in the list, clear the filter'],
  ['/', 'list only what contains the typed text'],
  ['c', 'copy the id of the memory, and print it at the end'],
  ['q', 'leave'],
  ['Ctrl-C', 'stop, exit code 130'],
];

function KeyList(): ReactElement {
  return (
    <>
      {KEYS.map(([keys, does]) => (
        <Text key={keys} wrap="truncate">
          <Text bold>{keys.padEnd(12)}</Text>
          {does}
        </Text>
      ))}
    </>
  );
}

const LIST_KEYS = '↑↓ move  Enter open  / filter  c copy id  q leave  ? keys';
const TEXT_KEYS = '↑↓ scroll  Esc back  c copy id  q leave  ? keys';

function Footer({ state, page }: { state: BrowserState; page: PageLayout }): ReactElement {
  const { filter, isTyping, open, showsKeys, remark } = state;
  if (remark !== '') return <Text wrap="truncate">{remark}</Text>;
  if (showsKeys) return <Text dimColor>Any key goes back</Text>;
  if (isTyping) {
    return (
      <Text wrap="truncate">
        <Text bold>{`/${filter}▏`}</Text>
        <Text dimColor> Enter keeps the filter Esc ends it</Text>
      </Text>
    );
  }
  const keys = open === undefined ? LIST_KEYS : TEXT_KEYS;
  return (
    <>
      <Box flexGrow={1} flexShrink={1}>
        <Text dimColor wrap="truncate">
          {keys}
        </Text>
      </Box>
      <Box flexShrink={0}>
        <Text dimColor>{placeText(state, page, page.width - keys.length)}</Text>
      </Box>
    </>
  );
}

/** Where one is, as far as there is room for it; an active filter is always told. */
function placeText(state: BrowserState, page: PageLayout, room: number): string {
  const { open, filter, entries, selected } = state;
  if (open === undefined && filter !== '') {
    return `  /${filter}: ${matchingEntries(state, searchText).length} of ${entries.length}`;
  }
  const lines = open?.linesOf?.(page.columns);
  const top = open === undefined || lines === undefined ? 0 : topOf(open, lines, page.rows);
  const text =
    open === undefined
      ? `  ${entries.length === 0 ? 0 : selected + 1} of ${entries.length}`
      : lines === undefined
        ? ''
        : `  ${top + 1}–${Math.min(lines.length, top + page.rows)} of ${lines.length}`;
  return text.length <= room ? text : '';
}

function indentFor({ progress }: BrowserState): number {
  return indentOf(progress.expected ?? progress.results);
}

function rowKey(entry: ListedEntry, at: number): string {
  return entry.kind === 'result' ? `result ${entry.rank}` : `${entry.kind} ${at}`;
}
