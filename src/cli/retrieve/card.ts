import type { Chunk, Memory } from '../../shared/gen/service/v1/memory_pb.ts';
import { relativeTime, timestampToMs } from '../../shared/time.ts';
import { bytesText } from '../kit/text/figures.ts';
import { cut, cutStart, displayWidth, oneLine, wrap, wrapText } from '../kit/text/printable.ts';
import { memoryIdOf, type ResultEntry } from './entries.ts';
import type { Sentence } from './matches.ts';

/** Wider lines are hard to read. */
export const WIDEST_TEXT = 100;
const SNIPPET_LINES = 3;
const NARROWEST_TITLE = 8;
const GAP = '  ';
const TITLE_GAP = ' · ';

/** What stands in the first line of a result. */
interface CardHeading {
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
  const title = titleOf(entry);
  const age = ageText(entry, now);
  const left = room - score.length - GAP.length;
  const beside = left - GAP.length - displayWidth(age);
  // An id is useless in part; of a name a part says enough.
  const least = hasName(entry) ? Math.min(NARROWEST_TITLE, displayWidth(title)) : title.length;
  const keepsAge = age !== '' && beside >= least;
  return {
    label: labelOf(entry.rank),
    score,
    title: titleWithin(entry, Math.max(1, keepsAge ? beside : left)),
    age: keepsAge ? age : '',
  };
}

/** The title that the memory was given and where in which file the text stands, else its id. */
export function titleOf(entry: ResultEntry): string {
  const names = [metadataOf(entry, 'title'), placeOf(entry)].filter((name) => name !== '');
  return names.length > 0 ? names.join(TITLE_GAP) : (memoryIdOf(entry) ?? '');
}

function hasName(entry: ResultEntry): boolean {
  return metadataOf(entry, 'title') !== '' || placeOf(entry) !== '';
}

/** Of a title the beginning says most, of a path the end: the file and the line. */
function titleWithin(entry: ResultEntry, width: number): string {
  const whole = titleOf(entry);
  if (displayWidth(whole) <= width) return whole;
  const title = metadataOf(entry, 'title');
  const place = placeOf(entry);
  if (place === '') return cut(whole, width);
  const room = title === '' ? width : width - displayWidth(title) - TITLE_GAP.length;
  if (room < NARROWEST_TITLE) return cut(title, width);
  return `${title === '' ? '' : `${title}${TITLE_GAP}`}${cutStart(place, room)}`;
}

/** `folder/file:line`, as editors and terminals open it; the line where it is known. */
function placeOf(entry: ResultEntry): string {
  const path = metadataOf(entry, 'path') || metadataOf(entry, 'filename');
  const line = lineOf(entry);
  return path === '' || line === undefined ? path : `${path}:${line}`;
}

/** The line that the best sentence starts in, of a document whose lines are known. */
export function lineOf({ item: { item }, best }: ResultEntry): number | undefined {
  if (item.case !== 'chunk') return undefined;
  const first = item.value.metadata?.source_line_start;
  if (typeof first !== 'number') return undefined;
  return first + item.value.chunkText.slice(0, best?.start ?? 0).split('\n').length - 1;
}

function metadataOf({ memory }: ResultEntry, key: string): string {
  const value = memory?.metadata?.[key];
  return typeof value === 'string' ? oneLine(value) : '';
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

/**
 * The text of a result in lines of at most `width` columns, the chunks beside it around it: whole, or of each the
 * beginning and of the chunk that was found its best sentence.
 */
export function textLines({ item: { item }, best }: ResultEntry, width: number, isWhole: boolean): TextLine[] {
  if (item.case === 'memory') return [{ text: cut(kindText(item.value), width), isFound: true }];
  if (item.case !== 'chunk') return [];
  const linesOf = (text: string, isFound: boolean): TextLine[] =>
    (isWhole ? wrapText(text, width) : snippet(text, width, isFound ? best : undefined)).map((line) => ({
      text: line,
      isFound,
    }));
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

/**
 * A few lines of a text, its white space joined, with `…` where something is left out: from its beginning if that shows
 * the sentence, else from the sentence on, else from the first match in it.
 */
function snippet(text: string, width: number, sentence: Sentence | undefined): string[] {
  const starts = sentence === undefined ? [0] : [0, sentence.start, beforeMatch(text, sentence, width)];
  const start =
    starts.find((at) => linesBetween(text, at, sentence?.end ?? at, width) <= SNIPPET_LINES) ?? starts.at(-1);
  const lines = wrap(flat(`${start === 0 ? '' : '… '}${text.slice(start)}`), width);
  if (lines.length <= SNIPPET_LINES) return lines;
  const last = lines[SNIPPET_LINES - 1] ?? '';
  return [...lines.slice(0, SNIPPET_LINES - 1), `${cut(last, width - 1).replace(/…$/, '')}…`];
}

function linesBetween(text: string, start: number, end: number, width: number): number {
  return wrap(flat(text.slice(start, end)), width).length;
}

/** Half a line in front of the first match of a sentence, at the beginning of a word. */
function beforeMatch(text: string, { start, firstMatch }: Sentence, width: number): number {
  const from = Math.max(start, firstMatch - Math.floor(width / 2));
  const space = text.slice(from, firstMatch).search(/\s/);
  return from === start || space === -1 ? from : from + space + 1;
}

function flat(text: string): string {
  return oneLine(text).replace(/\s+/g, ' ');
}

/** What stands in front of a line of text. The chunk that was found is marked where others stand around it. */
export function marginOf(line: TextLine, lines: readonly TextLine[], indent: number): string {
  const isMarked = line.isFound && lines.some(({ isFound }) => !isFound);
  return isMarked ? `${' '.repeat(indent - 2)}│ ` : ' '.repeat(indent);
}
