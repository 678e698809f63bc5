import { Text } from 'ink';
import { type ReactElement, useEffect, useState } from 'react';
import { ScoreBar } from '../kit/output/screen.tsx';
import { headingOf, scoreShare } from './card.ts';
import type { ResultEntry } from './entries.ts';
import { markedParts } from './matches.ts';

const BAR = 10;
const NARROWEST_WITH_BAR = 50;

interface HeadingProps {
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

const LABEL = /(\[\d+\])/;

/** A line of a summary. Its labels of results look like the labels of the results; [9] of five results is only text. */
export function SummaryLine({ line, results }: { line: string; results: number }): ReactElement {
  const parts = line.split(LABEL).map((text, at) => ({ text, at, isLabel: isLabelOf(text, results) }));
  return (
    <Text>
      {parts.map(({ text, at, isLabel }) =>
        isLabel ? (
          <Text key={at} color="cyan" bold>
            {text}
          </Text>
        ) : (
          text
        ),
      )}
    </Text>
  );
}

function isLabelOf(text: string, results: number): boolean {
  const rank = /^\[(\d+)\]$/.exec(text)?.[1];
  return rank !== undefined && Number(rank) >= 1 && Number(rank) <= results;
}

/** A text in which the words of the question stand out. */
export function MarkedText({ text, question }: { text: string; question: readonly string[] }): ReactElement {
  return (
    <>
      {markedParts(text, question).map((part, at) =>
        part.isMatch ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never change
          <Text key={at} color="yellow" bold>
            {part.text}
          </Text>
        ) : (
          part.text
        ),
      )}
    </>
  );
}

const TICK_MS = 100;

interface ElapsedProps {
  /** Epoch milliseconds. */
  since: number;
  now: () => number;
  text: (ms: number) => string;
}

/** The time that something takes, redrawn while it is shown. */
export function Elapsed({ since, now, text }: ElapsedProps): ReactElement {
  const [ms, setMs] = useState(() => now() - since);
  useEffect(() => {
    const timer = setInterval(() => setMs(now() - since), TICK_MS);
    return () => clearInterval(timer);
  }, [since, now]);
  return <Text>{text(ms)}</Text>;
}

const FRAME_MS = 50;

interface Frames {
  /** There is something new to draw: at once when nothing was drawn lately, else with what comes until the next frame. */
  request(): void;
  /** Draws nothing any more; the caller may. */
  stop(): void;
}

/** Drawing a picture takes some 10 ms, and a thousand results may come in a tenth of a second: they share pictures. */
export function createFrames(draw: () => void): Frames {
  let timer: NodeJS.Timeout | undefined;
  let isPending = false;
  let isStopped = false;
  const frame = (): void => {
    isPending = false;
    draw();
    // Counted from the end of the drawing, so that keys and signals get their turn between two pictures.
    timer = setTimeout(() => {
      timer = undefined;
      if (isPending) frame();
    }, FRAME_MS);
  };
  return {
    request: () => {
      isPending = true;
      if (timer === undefined && !isStopped) frame();
    },
    stop: () => {
      clearTimeout(timer);
      isPending = false;
      isStopped = true;
    },
  };
}
