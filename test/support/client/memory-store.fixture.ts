import { createHash } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import { anyPack } from '@bufbuild/protobuf/wkt';
import { ERROR_CODES, type ErrorCode } from '../../../src/shared/errors.ts';
import { ErrorInfoSchema } from '../../../src/shared/gen/google/rpc/error_details_pb.ts';
import { MemoryService, ProcessingStatus } from '../../../src/shared/gen/service/v1/memory_pb.ts';
import { SystemService } from '../../../src/shared/gen/service/v1/system_pb.ts';
import { failure } from './grpc-failure.fixture.ts';
import { startGrpcServer, type TestGrpcServer } from './grpc-server.fixture.ts';

export interface StoredMemory {
  memoryId: string;
  spaceId: string;
  contentType: string;
  originalContent: Uint8Array;
  metadata: Record<string, unknown>;
  /** Each later than the one before. */
  createdAt?: { seconds: string; nanos: number };
}

export interface StoreBehavior {
  /** Called with the number of the call, from 1; what it returns refuses the whole call, which waits for a promise. */
  call?: (create: number) => Error | undefined | Promise<Error | undefined>;
  /** What it returns refuses to list memories. */
  list?: () => Error | undefined;
  /** Holds the answer of a list back, as it is then, until it ends. */
  listed?: () => Promise<void>;
  /** What it returns refuses this item of a batch. */
  item?: (memory: StoredMemory) => ErrorCode | undefined;
  /** Whether the processing of a memory has ended; always, when left out. */
  isProcessed?: (memory: StoredMemory) => boolean;
  /** Whether the processing of a memory fails; that of what has `%PDF` in it, when left out. */
  isDamaged?: (memory: StoredMemory) => boolean;
  /** What it says that content may have, in MiB. */
  maxContentMb?: number;
}

export interface MemoryStore {
  stored: Map<string, StoredMemory>;
  server: TestGrpcServer;
  /** How often an RPC was called. */
  count(name: string): number;
}

/** A failed call as the server sends it. */
export function callFailure(code: ErrorCode, message: string, retryAfter?: string): Error {
  const retry = retryAfter === undefined ? {} : { 'retry-after': retryAfter };
  return failure(ERROR_CODES[code].grpc, message, { 'x-error-code': code, ...retry });
}

function failedItem(requestIndex: number, memoryId: string, code: ErrorCode) {
  const info = create(ErrorInfoSchema, { reason: code, domain: 'service.v1' });
  const error = {
    code: ERROR_CODES[code].grpc,
    message: `Refused: ${code}`,
    details: [anyPack(ErrorInfoSchema, info)],
  };
  return { success: false, requestIndex, memoryId, error };
}

/** `%` at one end, and nothing else, stands for anything. */
function isLike(text: string, pattern: string): boolean {
  const fixed = pattern.replace(/^%|%$/, '').replace(/\\(.)/g, '$1');
  return pattern.startsWith('%') ? text.endsWith(fixed) : text.startsWith(fixed);
}

/** A stand-in that keeps what a server promises about batches: ids are taken once, items fail one by one. */
export async function startMemoryStore(behavior: StoreBehavior = {}): Promise<MemoryStore> {
  const {
    list = () => undefined,
    listed = async () => {},
    call = () => undefined,
    item = () => undefined,
    isProcessed = () => true,
    isDamaged = ({ originalContent }) => Buffer.from(originalContent).includes('%PDF'),
    maxContentMb = 256,
  } = behavior;
  const stored = new Map<string, StoredMemory>();
  let creates = 0;
  let clock = 0;
  const record = (memory: StoredMemory) => {
    const { memoryId, spaceId, metadata, originalContent, createdAt } = memory;
    const originalContentSha256 = createHash('sha256').update(originalContent).digest('hex');
    const own = { memoryId, spaceId, metadata, originalContentSha256, createdAt };
    if (!isProcessed(memory)) return { ...own, processingStatus: ProcessingStatus.PROCESSING };
    const isBad = isDamaged(memory);
    return {
      ...own,
      processingStatus: isBad ? ProcessingStatus.FAILED : ProcessingStatus.COMPLETED,
      ...(isBad
        ? { failureReason: 'The file is damaged', processingHistory: { attempts: [{ errorMessage: 'No trailer' }] } }
        : {}),
    };
  };
  const createOne = (memory: StoredMemory, requestIndex: number) => {
    const refused = item(memory) ?? (stored.has(memory.memoryId) ? 'ALREADY_EXISTS' : undefined);
    if (refused !== undefined) return failedItem(requestIndex, memory.memoryId, refused);
    clock += 1;
    stored.set(memory.memoryId, { ...memory, createdAt: { seconds: String(clock), nanos: 0 } });
    const pending = { ...record(memory), processingStatus: ProcessingStatus.PENDING };
    return { success: true, requestIndex, memoryId: memory.memoryId, memory: pending };
  };
  const server = await startGrpcServer([MemoryService, SystemService], {
    unary: {
      GetSystemInfo: () => ({ capabilities: { capabilities: { max_content_mb: String(maxContentMb) } } }),
      BatchCreateMemory: async ({ request }) => {
        creates += 1;
        const error = await call(creates);
        if (error !== undefined) throw error;
        return { results: (request as unknown as { requests: StoredMemory[] }).requests.map(createOne) };
      },
      ListMemories: async ({ request }) => {
        const refused = list();
        if (refused !== undefined) throw refused;
        const { filter = '' } = request as unknown as { filter?: string };
        const [, member = '', verb = '', literals = ''] = /^val\('\$\.(\w+)'\) (IN|=|LIKE) (.*)$/s.exec(filter) ?? [];
        const values = [...literals.matchAll(/'((?:[^']|'')*)'/g)].map(([, value = '']) => value.replaceAll("''", "'"));
        const matches = (text: string): boolean =>
          verb === 'LIKE' ? values.some((value) => isLike(text, value)) : values.includes(text);
        const memories = [...stored.values()].filter(({ metadata }) => matches(String(metadata[member])));
        const response = { memories: memories.map(record) };
        await listed();
        return response;
      },
      BatchDeleteMemory: ({ request }) => {
        const { memoryIds } = request as unknown as { memoryIds: string[] };
        const results = memoryIds.map((memoryId, requestIndex) =>
          stored.delete(memoryId) ? { success: true, requestIndex } : failedItem(requestIndex, memoryId, 'NOT_FOUND'),
        );
        return { results };
      },
      BatchGetMemory: ({ request }) => {
        const { memoryIds } = request as unknown as { memoryIds: string[] };
        const results = memoryIds.map((id, requestIndex) => {
          const memory = stored.get(id);
          if (memory === undefined) return failedItem(requestIndex, id, 'NOT_FOUND');
          return { success: true, requestIndex, memory: record(memory) };
        });
        return { results };
      },
    },
  });
  const count = (name: string): number => server.calls.filter((called) => called.name === name).length;
  return { stored, server, count };
}
