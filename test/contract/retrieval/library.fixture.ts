import { expect } from 'vitest';
import type { Stage } from '../../support/stage.ts';
import type { Json } from '../../support/wire.ts';

/** What the spaces of these scenarios hold. */
export const FACTS = [
  'The boiler in the cellar was serviced on 3 March.',
  'The cat prefers tuna to chicken.',
  'The garden gate needs a new hinge.',
];

type Fact = { text: string; [name: string]: unknown };

/** A space that holds these texts, each a memory, oldest first. */
export async function library(
  stage: Stage,
  facts: readonly Fact[],
  spaceFields: Record<string, unknown> = {},
): Promise<string> {
  const { spaceId } = await stage.space(spaceFields);
  for (const { text, ...metadata } of facts) {
    await stage.ok('createMemory', {
      spaceId,
      contentType: 'text/plain',
      originalContent: text,
      metadata,
      waitMs: 60_000,
    });
  }
  return spaceId;
}

export const facts = FACTS.map((text, n) => ({ text, n }));

/** The parts of the events of a stream. */
export const texts = (events: Json[]): string[] =>
  events.flatMap(({ retrievedItem }) => (retrievedItem === undefined ? [] : [retrievedItem.chunk.chunkText]));
export const statuses = (events: Json[]): Json[] =>
  events.flatMap(({ status }) => (status === undefined ? [] : [status]));
export const kinds = (events: Json[]): string[] => events.map((event) => Object.keys(event).join());

/** What every stream promises: one result set, its count, each memory defined before its first item, one END. */
export function expectWhole(events: Json[], options: { memories?: boolean } = {}): void {
  const begin = events.find((event) => event.resultSetBoundary?.kind === 'BEGIN')?.resultSetBoundary;
  const items = events.flatMap((event) => (event.retrievedItem === undefined ? [] : [event.retrievedItem]));
  expect(begin).toEqual({
    resultSetId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    kind: 'BEGIN',
    stageName: 'vector_search',
    expectedItems: items.length,
  });
  const ends = events.filter((event) => event.resultSetBoundary?.kind === 'END');
  expect(ends).toEqual([{ resultSetBoundary: { resultSetId: begin.resultSetId, kind: 'END', stageName: '' } }]);
  const defined: string[] = [];
  const order: string[] = [];
  for (const { memoryDefinition, retrievedItem } of events) {
    if (memoryDefinition !== undefined) defined.push(memoryDefinition.memoryId);
    if (retrievedItem === undefined) continue;
    expect(retrievedItem.resultSetId).toBe(begin.resultSetId);
    const { memoryId } = retrievedItem.chunk;
    if (!order.includes(memoryId)) order.push(memoryId);
    expect(retrievedItem.memoryIndex).toBe(order.indexOf(memoryId));
    if (options.memories !== false) expect(defined[retrievedItem.memoryIndex]).toBe(memoryId);
  }
  expect(defined).toEqual(options.memories === false ? [] : order);
}
