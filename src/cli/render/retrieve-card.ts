import type { Chunk, Memory } from '../../shared/gen/service/v1/memory_pb.ts';
import { relativeTime, timestampToMs } from '../../shared/time.ts';
import { memoryIdOf, type ResultEntry } from '../retrieval/entries.ts';
import { cut, displayWidth, wrap } from './display-width.ts';
import { oneLine } from './printable.ts';
import { bytesText } from './values.ts';
import { wrapText } from './wrap-text.ts';

/** Wider lines are hard to read. */
export const WIDEST_TEXT = 100;
const SNIPPET_LINES = 3;
const NARROWEST_TITLE = 8;
const GAP = '  ';

/** What stands in the first line of a result. */
export interface CardHeading {
  /** `[1]`, as a summary writes it. */
  label: string;
  score: string;
  title: string;
  /** "" when it is unknown or does not fit. */
  age: string;
}

/** A line of a result's text. */
export interface TextLine {
  text: string;
  /** It is of the chunk that was found, and not of one beside it. */
  isFound: boolean;
}

function labelOf(rank: number): string {
  return `[${rank}]`;
}

/** Columns in front of a result's text, so that it hangs below the title of the widest label. */
export function indentOf(results: number): number {
  return labelOf(results).length + 1;
}

/** `room` are the columns for score, title and age with the gaps between them. `now` in epoch milliseconds. */
export function headingOf(entry: ResultEntry, room: number, now: number): CardHeading {
  const score = scoreText(entry.item.relevanceScore);
  const name = nameOf(entry);
  const title = titleOf(entry);
  const age = ageText(entry, now);
  const left = room - score.length - GAP.length;
  const beside = left - GAP.length - displayWidth(age);
  // An id is useless in part; of a name the beginning says enough.
  const least = name === undefined ? title.length : Math.min(NARROWEST_TITLE, displayWidth(title));
  const keepsAge = age !== '' && beside >= least;
  return {
    label: labelOf(entry.rank),
    score,
    title: cut(title, Math.max(1, keepsAge ? beside : left)),
    age: keepsAge ? age : '',
  };
}

/** The title or file name that the memory was given, else its id. */
export function titleOf(entry: ResultEntry): string {
  return nameOf(entry) ?? memoryIdOf(entry) ?? '';
}

function nameOf({ memory }: ResultEntry): string | undefined {
  const names = [memory?.metadata?.title, memory?.metadata?.filename];
  return names.map((name) => (typeof name === 'string' ? oneLine(name) : '')).find((name) => name !== '');
}

function ageText({ item, memory }: ResultEntry, now: number): string {
  const createdAt = memory?.createdAt ?? item.item.value?.createdAt;
  return createdAt === undefined ? '' : relativeTime(timestampToMs(createdAt), now);
}

/** A score just below zero is shown as 0.000 and not as -0.000. */
export function scoreText(score: number): string {
  return score.toFixed(3).replace(/^-(0\.0*)$/, '$1');
}

/** Fused scores add up reciprocal ranks: first in both rankings is the most there is. */
const MOST_FUSED = 1 / 61;

/**
 * How full the bar of a score is, from 0 to 1. Similarities and the scores of most rerankers lie between 0 and 1; what
 * lies outside fills the bar or leaves it empty, and the number beside it tells more.
 */
export function scoreShare(score: number, stageName: string): number {
  const share = stageName === 'hybrid_search' ? score / MOST_FUSED : score;
  return Math.min(1, Math.max(0, share));
}

/** The text of a result in lines of at most `width` columns, the chunks beside it around it: whole, or its beginning. */
export function textLines({ item: { item } }: ResultEntry, width: number, isWhole: boolean): TextLine[] {
  if (item.case === 'memory') return [{ text: cut(kindText(item.value), width), isFound: true }];
  if (item.case !== 'chunk') return [];
  const linesOf = (text: string, isFound: boolean): TextLine[] =>
    (isWhole ? wrapText(text, width) : snippet(text, width)).map((line) => ({ text: line, isFound }));
  const { before, after } = beside(item.value);
  return [
    ...before.flatMap((text) => linesOf(text, false)),
    ...linesOf(item.value.chunkText, true),
    ...after.flatMap((text) => linesOf(text, false)),
  ];
}

function beside({ chunkSequenceNumber: own, neighbors }: Chunk): { before: string[]; after: string[] } {
  const all = neighbors?.neighbors ?? [];
  return {
    before: all.filter(({ chunkSequenceNumber: at }) => at < own).map(({ chunkText }) => chunkText),
    after: all.filter(({ chunkSequenceNumber: at }) => at > own).map(({ chunkText }) => chunkText),
  };
}

function kindText({ contentType, originalContentLength }: Memory): string {
  return `Memory, ${oneLine(contentType)}, ${bytesText(originalContentLength)}`;
}

/** The first lines of a text, its white space joined, with `…` where something is left out. */
function snippet(text: string, width: number): string[] {
  const lines = wrap(oneLine(text).replace(/\s+/g, ' '), width);
  if (lines.length <= SNIPPET_LINES) return lines;
  const last = lines[SNIPPET_LINES - 1] ?? '';
  return [...lines.slice(0, SNIPPET_LINES - 1), `${cut(last, width - 1).replace(/…$/, '')}…`];
}

/** What stands in front of a line of text. The chunk that was found is marked where others stand around it. */
export function marginOf(line: TextLine, lines: readonly TextLine[], indent: number): string {
  const isMarked = line.isFound && lines.some(({ isFound }) => !isFound);
  return isMarked ? `${' '.repeat(indent - 2)}│ ` : ' '.repeat(indent);
}
