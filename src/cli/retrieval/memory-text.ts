import { MemoryService } from '../../shared/gen/service/v1/memory_pb.ts';
import type { Client } from '../kit/client/client.ts';
import { memoryIdOf, type ResultEntry } from './entries.ts';

/** The text of a memory around what was found in it. */
export interface Passage {
  before: string;
  found: string;
  after: string;
  /** There is more text than this. */
  isPart: boolean;
}

/** Code points in front of and behind the chunk: nobody scrolls further, and a book must not fill the memory. */
const AROUND = 100_000;

/** Fetches the extracted text of a result's memory. Leaves the call as soon as enough of it has come. */
export async function memoryText(client: Client, entry: ResultEntry, signal: AbortSignal): Promise<Passage> {
  const { item } = entry.item;
  const memoryId = memoryIdOf(entry) ?? '';
  const chunk = item.case === 'chunk' ? item.value : { startOffset: 0, endOffset: 0 };
  const most = chunk.endOffset + AROUND;
  const decoder = new TextDecoder();
  const points: string[] = [];
  for await (const { data } of client.stream(MemoryService.method.getMemoryText, { memoryId }, { signal })) {
    for (const point of decoder.decode(data, { stream: true })) points.push(point);
    if (points.length > most) break;
  }
  const start = Math.max(0, chunk.startOffset - AROUND);
  const slice = (from: number, to: number): string => points.slice(from, to).join('');
  return {
    before: slice(start, chunk.startOffset),
    found: slice(chunk.startOffset, chunk.endOffset),
    after: slice(chunk.endOffset, most),
    isPart: start > 0 || points.length > most,
  };
}
