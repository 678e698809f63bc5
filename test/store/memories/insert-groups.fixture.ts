import type { InsertGroups } from '../../../src/server/service/memories/insert-groups.ts';
import type { NewMemory } from '../../../src/server/store/memories.ts';
import type { MemoryRow } from '../../../src/server/store/memory-row.ts';
import { signal } from '../identity.fixture.ts';

type Owner = Pick<NewMemory, 'spaceId' | 'createdById'>;

/** A small text of that user in that space. */
export function newMemoryOf(more: Owner & Partial<NewMemory>): NewMemory {
  return {
    memoryId: crypto.randomUUID(),
    contentId: crypto.randomUUID(),
    contentLength: 3,
    contentSha256: Buffer.alloc(32),
    contentRef: null,
    contentType: 'text/plain',
    extractPageImages: false,
    metadata: {},
    chunkingConfig: null,
    expiresAt: null,
    maxAttempts: 5,
    ...more,
  };
}

export const content = { kind: 'inline' as const, data: Buffer.from('one') };

export const insertAll = (groups: InsertGroups, memories: readonly NewMemory[]) =>
  Promise.allSettled(memories.map((memory) => groups.insert(memory, content, signal)));

export const idsOf = (outcomes: readonly PromiseSettledResult<MemoryRow | undefined>[]) =>
  outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value?.memoryId] : []));
