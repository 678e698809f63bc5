import { create, type MessageInitShape, type MessageShape } from '@bufbuild/protobuf';
import type { CallContext, Caller, ContentSource, UploadedFile } from '../../src/server/context.ts';
import { Lifecycle } from '../../src/server/lifecycle.ts';
import { createTargetClients } from '../../src/server/providers/clients.ts';
import { createProviderHttp } from '../../src/server/providers/http.ts';
import type { IngestDeps } from '../../src/server/service/ingest/deps.ts';
import { createIngestWorkers, type IngestWorkers } from '../../src/server/service/ingest/ingest-workers.ts';
import type { MemoryDeps } from '../../src/server/service/memories/deps.ts';
import { createMemoryHandlers } from '../../src/server/service/memories/handlers.ts';
import { createPageTokens } from '../../src/server/service/page-token.ts';
import { requireUnrestricted } from '../../src/server/service/permission.ts';
import { createTargetOpener } from '../../src/server/service/targets/open-target.ts';
import { createWorkerPool } from '../../src/server/workers/pool.ts';
import { ProviderType } from '../../src/shared/gen/service/v1/common_pb.ts';
import { type Memory, ProcessingStatus } from '../../src/shared/gen/service/v1/memory_pb.ts';
import { OPERATIONS, type Operations } from '../../src/shared/operations/table.ts';
import { openLog } from '../support/log.ts';
import { LOOPBACK_POLICY } from '../support/loopback-policy.ts';
import { useOpened } from '../support/opened.ts';
import { createWorld, dropWorld, SECRETS_KEY, signal, type World } from './identity.fixture.ts';

type MemoryCall =
  | 'createMemory'
  | 'getMemory'
  | 'listMemories'
  | 'deleteMemory'
  | 'batchCreateMemory'
  | 'batchGetMemory'
  | 'batchDeleteMemory'
  | 'updateMemory'
  | 'reprocessMemory'
  | 'listChunks';
type SourceCall = 'getMemoryContent' | 'getMemoryText';

/** Compiled: worker threads do not run TypeScript. */
const ENTRY = new URL('../../dist/server/workers/thread.js', import.meta.url);
export const MAX_CONTENT = 4 * 1_048_576;
const DIMENSIONS = 256;

export interface MemoryWorld extends World {
  lifecycle: Lifecycle;
  ingest: IngestWorkers;
  deps: IngestDeps;
  memory<K extends MemoryCall>(
    key: K,
    request: MessageInitShape<Operations[K]['rpc']['input']>,
    caller?: Caller,
    more?: Partial<CallContext>,
  ): Promise<MessageShape<Operations[K]['rpc']['output']>>;
  source(key: SourceCall, memoryId: string, caller?: Caller): Promise<ContentSource>;
  /** A space of ada's with these embedders, a BUILTIN one unless told. */
  space(request?: object): Promise<string>;
  /** Creates a text memory of ada's and returns its record. */
  remember(spaceId: string, text: string, request?: object): Promise<Memory>;
  /** Waits until a memory is COMPLETED or FAILED. */
  processed(memoryId: string): Promise<Memory>;
  /** A further set of workers on the same database, as another server has them. Stopped with the world. */
  workers(over?: Partial<IngestDeps>): IngestWorkers;
  end(): Promise<void>;
}

/** Services and workers on a database; the workers do not run until `ingest.start()`. */
export async function createMemoryWorld(
  over: Partial<IngestDeps['settings']> = {},
  more: Pick<MemoryDeps, 'searchTimeoutMs'> = {},
): Promise<MemoryWorld> {
  const world = await createWorld();
  const { db, ada } = world;
  const http = createProviderHttp({ policy: LOOPBACK_POLICY });
  const pool = createWorkerPool({ size: 2, entry: ENTRY });
  const lifecycle = new Lifecycle();
  lifecycle.ready();
  const clients = createTargetClients({
    http,
    timeoutMs: 10_000,
    builtin: async (texts, dimensions, inputType, stop) => {
      const values = await pool.run(
        'embedLexical',
        { texts, dimensions, inputType },
        { signal: stop, timeoutMs: 30_000 },
      );
      return texts.map((_, index) => values.slice(index * dimensions, (index + 1) * dimensions));
    },
  });
  const deps: IngestDeps = {
    db,
    workers: pool,
    targets: createTargetOpener({ pool: db.background, secretsKey: SECRETS_KEY, clients }),
    settings: {
      workerParallelism: 2,
      jobLeaseS: 60,
      ooxmlLimitsJson: { extraction: { outputCharacters: 33_554_432 } },
      ...over,
    },
    lifecycle,
    log: openLog(),
  };
  const ingest = createIngestWorkers(deps);
  const all = [ingest];
  const handlers = createMemoryHandlers({
    db,
    pageTokens: createPageTokens(new Uint8Array(32)),
    ingest,
    maxContentBytes: MAX_CONTENT,
    ...more,
  }) as unknown as Record<string, (message: unknown, context: CallContext) => Promise<never>>;
  const call = (key: MemoryCall | SourceCall, request: object, caller: Caller, more: Partial<CallContext> = {}) => {
    const operation = OPERATIONS[key];
    const own = new AbortController().signal;
    const base = { operation, requestId: 'test', signal: own, caller, initToken: undefined, files: undefined };
    const context: CallContext = { ...base, log: deps.log, ...more };
    requireUnrestricted(context);
    const handler = handlers[key];
    if (handler === undefined) throw new Error(`no handler ${key}`);
    return handler(create(operation.rpc.input, request as never), context);
  };
  const builtin = await world.call(
    'createEmbedder',
    {
      displayName: 'Words',
      providerType: ProviderType.BUILTIN,
      modelIdentifier: 'lexical-v1',
      dimensionality: DIMENSIONS,
    },
    ada,
  );
  const self: MemoryWorld = {
    ...world,
    lifecycle,
    ingest,
    deps,
    memory: (key, request, caller = ada, more = {}) => call(key, request, caller, more),
    source: (key, memoryId, caller = ada) => call(key, { memoryId }, caller),
    async space(request = {}) {
      const name = `space ${crypto.randomUUID()}`;
      const space = await world.call('createSpace', { name, embedderId: builtin.embedderId, ...request }, ada);
      return space.spaceId;
    },
    remember: (spaceId, text, request = {}) =>
      call('createMemory', { spaceId, contentType: 'text/plain', originalContent: bytes(text), ...request }, ada),
    async processed(memoryId) {
      await ingest.completions.wait([memoryId], 30_000, signal);
      return self.memory('getMemory', { memoryId, includeProcessingHistory: true });
    },
    workers(more = {}) {
      const others = createIngestWorkers({ ...deps, ...more });
      all.push(others);
      return others;
    },
    async end() {
      await Promise.all(all.map((workers) => workers.stop()));
      await pool.close();
      await http.close();
      await dropWorld(world);
    },
  };
  return self;
}

/** Such a world for the tests of a file; its members can be read once the tests run. */
export const useMemoryWorld = (...wanted: Parameters<typeof createMemoryWorld>): MemoryWorld =>
  useOpened(
    () => createMemoryWorld(...wanted),
    (world) => world.end(),
  );

export function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

export function statusOf({ processingStatus }: Memory): string {
  return ProcessingStatus[processingStatus];
}

/** The whole of a stored document, or the given range of it, as text. */
export async function read(source: ContentSource, start = 0, end = source.length): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of source.read(start, end)) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** File parts as a multipart request brings them. `data` comes in pieces of `pieceBytes`. */
export async function* upload(
  ...files: (Partial<UploadedFile> & { bytes: Uint8Array; pieceBytes?: number })[]
): AsyncGenerator<UploadedFile> {
  for (const { bytes: all, pieceBytes = 65_536, ...file } of files) {
    yield { field: 'file', filename: undefined, contentType: undefined, data: pieces(all, pieceBytes), ...file };
  }
}

async function* pieces(all: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < all.length; at += size) yield all.subarray(at, at + size);
}
