import type { Status } from '../../shared/gen/service/v1/common_pb.ts';
import type { Memory, RetrievedItem, RetrieveMemoryEvent } from '../../shared/gen/service/v1/memory_pb.ts';
import { relativeTime, timestampToMs } from '../../shared/time.ts';
import type { Io } from '../io.ts';
import { cut, padStart, wrap } from './display-width.ts';
import type { EventWriter } from './event-writer.ts';
import { explainTable } from './explain-table.ts';
import { oneLine, severalLines } from './printable.ts';

export interface RetrieveLinesOptions {
  /** Whole chunks instead of their first lines. */
  full: boolean;
}

const INDENT = '    ';
const SNIPPET_LINES = 3;
const WIDEST_TEXT = 100;

/** Results of a retrieval for people: rank, score, file and age in a line, the text below it. */
export function retrieveLines(
  io: Pick<Io, 'stdout' | 'stderr' | 'width' | 'color' | 'now'>,
  { full }: RetrieveLinesOptions,
): EventWriter<RetrieveMemoryEvent> {
  // By the order of appearance, which is what `memoryIndex` counts.
  const memories: Memory[] = [];
  let rank = 0;
  const textWidth = Math.min(io.width, WIDEST_TEXT) - INDENT.length;
  const strong = (text: string): string => (io.color ? `\u001b[1m${text}\u001b[22m` : text);
  const writeItem = async (item: RetrievedItem): Promise<void> => {
    rank += 1;
    const heading = cut(headingOf(rank, item, memories[item.memoryIndex], io.now()), io.width);
    const body = textLines(item, textWidth, full).map((line) => `${INDENT}${line}`.trimEnd());
    await io.stdout.write(`${[strong(heading), ...body].join('\n')}\n`);
  };
  return {
    event: async ({ event }) => {
      switch (event.case) {
        case 'memoryDefinition':
          memories.push(event.value);
          return;
        case 'retrievedItem':
          return writeItem(event.value);
        case 'abstractReply': {
          const lines = wrap(severalLines(event.value.text), textWidth);
          return io.stdout.write(`\n${strong('Answer')}\n${lines.map((line) => `${INDENT}${line}\n`).join('')}`);
        }
        case 'status':
          // A person who gave no --llm knows that there is no summary.
          if (event.value.code === 'FEATURE_DISABLED') return;
          if (event.value.code === 'EXPLAIN') return io.stdout.write(`\n${explainTable(event.value.details, io)}`);
          return io.stderr.write(statusText(event.value));
        case 'resultSetBoundary':
          if (event.value.stageName === '' && rank === 0) await io.stderr.write('Nothing found.\n');
          return;
        default:
      }
    },
    end: async () => {},
  };
}

function headingOf(rank: number, item: RetrievedItem, memory: Memory | undefined, now: number): string {
  const parts = [`${padStart(String(rank), 2)}  ${scoreText(item.relevanceScore)}`];
  const filename = memory?.metadata?.filename;
  if (typeof filename === 'string') parts.push(oneLine(filename));
  else if (memory !== undefined) parts.push(memory.memoryId);
  else if (item.item.case === 'chunk') parts.push(item.item.value.memoryId);
  const createdAt = memory?.createdAt ?? item.item.value?.createdAt;
  if (createdAt !== undefined) parts.push(relativeTime(timestampToMs(createdAt), now));
  return parts.join('  ');
}

/** A score just below zero is shown as 0.000 and not as -0.000. */
function scoreText(score: number): string {
  return score.toFixed(3).replace(/^-(0\.0*)$/, '$1');
}

function textLines({ item }: RetrievedItem, width: number, full: boolean): string[] {
  if (item.case !== 'chunk') return [];
  const { chunkText, neighbors } = item.value;
  const own = item.value.chunkSequenceNumber;
  const around = neighbors?.neighbors ?? [];
  const before = around.filter(({ chunkSequenceNumber }) => chunkSequenceNumber < own);
  const after = around.filter(({ chunkSequenceNumber }) => chunkSequenceNumber > own);
  const shown = (text: string): string[] => (full ? wrap(severalLines(text), width) : snippet(text, width));
  return [
    ...before.flatMap((chunk) => shown(chunk.chunkText)),
    ...shown(chunkText),
    ...after.flatMap((chunk) => shown(chunk.chunkText)),
  ];
}

/** The first lines of a text, its white space joined, with `…` where something is left out. */
function snippet(text: string, width: number): string[] {
  const lines = wrap(oneLine(text).replace(/\s+/g, ' '), width);
  if (lines.length <= SNIPPET_LINES) return lines;
  const last = lines[SNIPPET_LINES - 1] ?? '';
  return [...lines.slice(0, SNIPPET_LINES - 1), `${cut(last, width - 1).replace(/…$/, '')}…`];
}

function statusText({ code, message }: Status): string {
  return `note: ${oneLine(message)} (${code})\n`;
}
