import { create, type DescMessage, type MessageInitShape, type MessageShape, toBinary } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chunkMessage } from '../../../../../src/server/service/memories/chunk-message.ts';
import { memoryMessage } from '../../../../../src/server/service/memories/memory-message.ts';
import {
  beginEvent,
  deltaEvent,
  endEvent,
  itemEvent,
  memoryEvent,
  replyEvent,
  statusEvent,
} from '../../../../../src/server/service/retrieval/events.ts';
import { spaceMessage } from '../../../../../src/server/service/spaces/space-message.ts';
import { DEFAULT_CHUNKING } from '../../../../../src/server/workers/chunk/config.ts';
import { RetrieveMemoryEventSchema } from '../../../../../src/shared/gen/service/v1/memory_pb.ts';
import { SpaceSchema } from '../../../../../src/shared/gen/service/v1/space_pb.ts';
import { encodeJson } from '../../../../../src/shared/json/encode.ts';
import { MAX_EPOCH_MS, MIN_EPOCH_MS } from '../../../../../src/shared/time.ts';

/** The message as the library makes it of the same values. */
function made<Desc extends DescMessage>(desc: Desc, message: MessageShape<Desc>): MessageShape<Desc> {
  return create(desc, withoutTypes(message) as MessageInitShape<Desc>);
}

function withoutTypes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutTypes);
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  const entries = Object.entries(value).filter(([name]) => name !== '$typeName');
  return Object.fromEntries(entries.map(([name, member]) => [name, withoutTypes(member)]));
}

function expectAsMade<Desc extends DescMessage>(desc: Desc, message: MessageShape<Desc>): void {
  expect(Buffer.from(toBinary(desc, message)).equals(toBinary(desc, made(desc, message)))).toBe(true);
  expect(encodeJson(desc, message)).toBe(encodeJson(desc, made(desc, message)));
}

const text = fc.string({ unit: 'grapheme' });
const ms = fc.integer({ min: MIN_EPOCH_MS, max: MAX_EPOCH_MS });
const score = fc.oneof(fc.double(), fc.constantFrom(0, -0, Number.NaN, Number.POSITIVE_INFINITY));
const status = fc.constantFrom('PENDING' as const, 'PROCESSING' as const, 'COMPLETED' as const, 'FAILED' as const);
const orNull = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: null });
const metadata = fc.dictionary(
  text.filter((name) => name !== '$typeName' && name !== '__proto__'),
  fc.oneof(text, fc.boolean(), fc.constant(null), fc.integer(), fc.array(text)),
);
const chunking = fc.constantFrom(DEFAULT_CHUNKING, { none: {} });
const audit = { createdAt: ms, updatedAt: ms, createdById: fc.uuid(), updatedById: fc.uuid() };

const memoryRow = fc.record({
  ...audit,
  memoryId: fc.uuid(),
  spaceId: fc.uuid(),
  contentId: fc.uuid(),
  contentLength: fc.maxSafeNat(),
  contentSha256: text,
  contentRef: orNull(text),
  contentType: text,
  processingStatus: status,
  failureReason: orNull(text),
  pageImageStatus: status,
  pageImageCount: fc.nat(2 ** 31 - 1),
  extractPageImages: fc.boolean(),
  metadata,
  chunkingConfig: orNull(chunking),
  chunkCount: fc.nat(),
  expiresAt: orNull(ms),
});
const chunkRow = fc.record({
  ...audit,
  chunkId: fc.uuid(),
  memoryId: fc.uuid(),
  sequence: fc.nat(2 ** 31 - 1),
  text,
  vectorStatus: status,
  startOffset: fc.nat(2 ** 31 - 1),
  endOffset: fc.nat(2 ** 31 - 1),
  metadata: orNull(metadata),
});
const neighbors = fc.option(
  fc.array(fc.record({ ofSequence: fc.nat(), memoryId: fc.uuid(), sequence: fc.nat(2 ** 31 - 1), text })),
  { nil: undefined },
);
const content = fc.option(fc.uint8Array(), { nil: undefined });
const spaceRow = fc.record({
  ...audit,
  spaceId: fc.uuid(),
  name: text,
  description: orNull(text),
  labels: fc.dictionary(
    text.filter((name) => name !== '$typeName' && name !== '__proto__'),
    text,
  ),
  ownerId: fc.uuid(),
  publicRead: fc.boolean(),
  chunkingConfig: chunking,
  retentionDays: orNull(fc.nat(36_500)),
  giveUpAfterMinutes: fc.nat(1440),
  vectorQuantization: orNull(fc.constant('BINARY' as const)),
  embedders: fc.array(
    fc.record({ ...audit, spaceId: fc.uuid(), embedderId: fc.uuid(), defaultRetrievalWeight: score }),
  ),
});

test('events are encoded as those that the library makes, whatever they hold', () => {
  fc.assert(
    fc.property(memoryRow, chunkRow, neighbors, content, score, text, (memory, chunk, near, bytes, relevance, id) => {
      const record = memoryMessage(memory, { content: bytes });
      const rank = { memoryIndex: chunk.sequence, relevanceScore: relevance, resultSetId: id };
      const value = chunkMessage(chunk, { neighbors: near });
      for (const event of [
        memoryEvent(record),
        itemEvent({ item: { case: 'chunk', value }, ...rank }),
        itemEvent({ item: { case: 'memory', value: record }, ...rank }),
        beginEvent(id, 'vector_search', chunk.sequence),
        endEvent(id),
        statusEvent('PARTIAL_RESULTS', chunk.text, { detail: id }),
        statusEvent('PARTIAL_RESULTS', chunk.text),
        deltaEvent(id, chunk.text),
        replyEvent(id, chunk.text),
      ]) {
        expectAsMade(RetrieveMemoryEventSchema, event);
      }
    }),
  );
});

test('spaces are encoded as those that the library makes', () => {
  fc.assert(fc.property(spaceRow, (row) => expectAsMade(SpaceSchema, spaceMessage(row))));
});
