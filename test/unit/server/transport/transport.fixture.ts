import { create } from '@bufbuild/protobuf';
import type { Caller } from '../../../../src/server/context.ts';
import { Lifecycle } from '../../../../src/server/lifecycle.ts';
import { createLogger } from '../../../../src/server/log.ts';
import { type Backend, Calls, type CallsOptions } from '../../../../src/server/transport/calls.ts';
import { type GrpcOptions, startGrpc } from '../../../../src/server/transport/grpc/server.ts';
import { type RestOptions, startRest } from '../../../../src/server/transport/rest/server.ts';
import { ProcessingStatus, RetrieveMemoryEventSchema } from '../../../../src/shared/gen/service/v1/memory_pb.ts';
import { ListSpacesResponseSchema } from '../../../../src/shared/gen/service/v1/space_pb.ts';
import { SystemInfoSchema } from '../../../../src/shared/gen/service/v1/system_pb.ts';

export const SPACE_ID = '01980000-0000-7000-8000-0000000000b1';
export const RESULT_SET_ID = '01980000-0000-7000-8000-000000000099';

/** Both wires in this process, in front of handlers that need no database. */
export interface Wires {
  rest: string;
  grpc: string;
  lifecycle: Lifecycle;
  calls: Calls;
  /** Opens the door; until then the server is starting. */
  open(backend?: Partial<Backend>): void;
  close(): Promise<void>;
}

export async function startWires(
  options: CallsOptions = {},
  restOptions: Partial<RestOptions> = {},
  grpcOptions: Partial<GrpcOptions> = {},
): Promise<Wires> {
  const lifecycle = new Lifecycle();
  const log = createLogger({ level: 'fatal', format: 'json', stream: { write() {} } });
  const calls = new Calls(lifecycle, log, options);
  const common = { host: '127.0.0.1', port: 0, tls: undefined, version: 'test' };
  const rest = await startRest(calls, lifecycle, log, { ...common, maxBodyBytes: 4_000_000, ...restOptions });
  const grpc = await startGrpc(calls, lifecycle, log, { ...common, maxMessageBytes: 4_000_000, ...grpcOptions });
  return {
    rest: `http://127.0.0.1:${rest.port}`,
    grpc: `127.0.0.1:${grpc.port}`,
    lifecycle,
    calls,
    open(backend) {
      calls.serve({ handlers: HANDLERS, authenticate: async (key) => callerOf(key), ...backend });
      lifecycle.ready();
    },
    async close() {
      rest.destroy();
      grpc.destroy();
      await rest.close();
    },
  };
}

/** Keys are `key-<user>` or `key-<user>/<number>`; everything else is unusable. */
function callerOf(key: string): Caller | undefined {
  if (!key.startsWith('key-')) return undefined;
  return { userId: key.replace(/\/.*/, ''), apiKeyId: key, role: 'ROOT', readOnly: false, spaceIds: undefined };
}

export const HANDLERS: Backend['handlers'] = {
  listSpaces: async () => create(ListSpacesResponseSchema),
  getSystemInfo: async () => create(SystemInfoSchema),
  async *retrieveMemory({ message }) {
    if (message === 'fail') throw new Error('on purpose');
    yield create(RetrieveMemoryEventSchema, { event: { case: 'resultSetBoundary', value: { kind: 1 } } });
    if (message === 'break') throw new Error('on purpose');
    const at = { seconds: 1_800_000_000n };
    const ids = { chunkId: SPACE_ID, memoryId: SPACE_ID, createdById: SPACE_ID, updatedById: SPACE_ID };
    const chunk = { ...ids, chunkText: 'text', vectorStatus: ProcessingStatus.COMPLETED, createdAt: at, updatedAt: at };
    const item = { case: 'chunk' as const, value: chunk };
    yield create(RetrieveMemoryEventSchema, {
      event: {
        case: 'retrievedItem',
        value: { item, memoryIndex: 0, relevanceScore: 0.83, resultSetId: RESULT_SET_ID },
      },
    });
  },
};
