import type { Chunk, Memory } from '../../../shared/gen/service/v1/memory_pb.ts';
import type { ContextItem } from '../../../shared/gen/service/v1/retrieve_pb.ts';
import { isoFromMs, relativeTime, timestampToMs } from '../../../shared/time.ts';
import type { TemplateItem, TemplateVariables } from '../../workers/template/variables.ts';
import type { Results } from './results.ts';

const HEADING = 'Retrieved data, most recent to oldest:';

/** What the prompts of one call are made from; `now` in epoch milliseconds. */
export function templateVariables(
  { message, context }: { message: string; context: readonly ContextItem[] },
  { items, memories }: Results,
  now: number,
): TemplateVariables {
  const results = items.flatMap(({ item, memoryId, score }, index) =>
    item.case === 'chunk' ? [templateItem(item.value, memories.get(memoryId), { index: index + 1, score, now })] : [],
  );
  return { userQuery: message, dataSection: dataSection(results), context: context.map(turnText), results };
}

function templateItem(
  chunk: Chunk,
  memory: Memory | undefined,
  { index, score, now }: { index: number; score: number; now: number },
): TemplateItem {
  const chunkMs = timestampMs(chunk.createdAt) ?? now;
  const memoryMs = timestampMs(memory?.createdAt);
  return {
    index,
    score,
    chunkText: chunk.chunkText,
    chunkSequenceNumber: chunk.chunkSequenceNumber,
    memoryId: chunk.memoryId,
    chunkId: chunk.chunkId,
    chunkTimestamp: new Date(chunkMs),
    relativeTimeDescription: relativeTime(memoryMs ?? chunkMs, now),
    memoryCreatedAt: memoryMs === undefined ? null : new Date(memoryMs),
    memoryMetadata: memory?.metadata ?? {},
  };
}

function timestampMs(timestamp: Parameters<typeof timestampToMs>[0] | undefined): number | undefined {
  return timestamp === undefined ? undefined : timestampToMs(timestamp);
}

/** Every entry with its number, how long ago its memory came, and when. */
function dataSection(results: readonly TemplateItem[]): string {
  const entries = results.map((item) => {
    const time = isoFromMs(Number(item.memoryCreatedAt ?? item.chunkTimestamp));
    return `\n[${item.index}] (${item.relativeTimeDescription}, ${time})\n${item.chunkText}`;
  });
  return [HEADING, ...entries].join('\n');
}

function turnText({ item }: ContextItem): string {
  if (item.case !== 'binary') return item.value ?? '';
  return `[binary ${item.value.contentType}, ${item.value.data.byteLength} bytes]`;
}
