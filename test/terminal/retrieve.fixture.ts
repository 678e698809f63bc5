import { afterAll, beforeAll } from 'vitest';
import { MemoryService } from '../../src/shared/gen/service/v1/memory_pb.ts';
import { ResultSetBoundary_Kind as Kind } from '../../src/shared/gen/service/v1/retrieve_pb.ts';
import { timestampFromMs } from '../../src/shared/time.ts';
import { startGrpcServer, type TestGrpcServer } from '../support/client/grpc-server.fixture.ts';

export const SPACE = '01980000-0000-7000-8000-0000000000b1';
const DAY_MS = 86_400_000;

type Fields = Record<string, unknown>;

/** A call of `svc retrieve` that waits for its events. */
export interface HeldCall {
  send(...events: readonly Fields[]): void;
  /** The stream ends as it should. */
  end(): void;
  /** The stream breaks. */
  fail(code: number, details: string): void;
  isCancelled(): boolean;
}

/** A server whose retrievals send what the test says, when it says it. One for all tests of a file. */
export function useHeldRetrievals(textOf: (memoryId: string) => string = () => '') {
  let server: TestGrpcServer;
  const waiting: ((call: HeldCall) => void)[] = [];
  beforeAll(async () => {
    server = await startGrpcServer([MemoryService], {
      stream: {
        RetrieveMemory: (call, send) => {
          let isCancelled = false;
          call.on('cancelled', () => {
            isCancelled = true;
          });
          waiting.shift()?.({
            send: (...events) => {
              for (const event of events) send({ event });
            },
            end: () => call.end(),
            fail: (code, details) => call.emit('error', Object.assign(new Error(details), { code, details })),
            isCancelled: () => isCancelled,
          });
        },
        GetMemoryText: (call, send) => {
          const { memoryId } = call.request as unknown as { memoryId: string };
          send({ data: Buffer.from(textOf(memoryId)) });
          call.end();
        },
      },
    });
  });
  afterAll(() => server.close());
  return {
    /** The next call; ask for it before the command is started. */
    next: () => new Promise<HeldCall>((resolve) => waiting.push(resolve)),
    env: () => ({ SVC_SERVER: `http://127.0.0.1:${server.port}`, SVC_API_KEY: 'svc_test' }),
  };
}

export function begin(expectedItems: number, stageName = 'vector_search'): Fields {
  return { case: 'resultSetBoundary', value: { kind: Kind.BEGIN, stageName, expectedItems } };
}

export const END: Fields = { case: 'resultSetBoundary', value: { kind: Kind.END } };

export function note(code: string, message: string): Fields {
  return { case: 'status', value: { code, message } };
}

export function summary(text: string): Fields {
  return { case: 'abstractReply', value: { text } };
}

/** The n-th memory with one chunk of it, two days old when it is shown. */
export function found(
  n: number,
  { metadata = {}, score, ...chunk }: { metadata?: Fields; score: number; chunkText: string; [field: string]: unknown },
): Fields[] {
  const memoryId = memoryIdOf(n);
  const createdAt = timestampFromMs(Date.now() - 2.5 * DAY_MS);
  return [
    { case: 'memoryDefinition', value: { memoryId, spaceId: SPACE, metadata, createdAt } },
    {
      case: 'retrievedItem',
      value: {
        item: { case: 'chunk', value: { memoryId, ...chunk } },
        memoryIndex: n - 1,
        relevanceScore: score,
      },
    },
  ];
}

export function memoryIdOf(n: number): string {
  return `01980000-0000-7000-8000-${String(n).padStart(12, '0')}`;
}

/** The picture without what differs from run to run. */
export function steady(lines: readonly string[]): string {
  return `\n${lines.map((line) => line.replace(/\d+\.\d s$/, '0.0 s').trimEnd()).join('\n')}\n`;
}
