import { type Chapter, shown } from '../line.ts';

const GRPC = 'wires/grpc/grpc.test.ts';

export const GRPC_CHAPTER: Chapter = {
  title: 'gRPC',
  lines: [
    shown(
      'Every operation of REST but the proxy is an RPC of service.v1, a stream where REST streams',
      'wires/grpc/reflection.test.ts: the RPCs of the services are the operations that REST has, with streams where it has them',
      'contract/scenario.fixture.ts: %s',
    ),
    shown(
      'Reflection lists the services and serves their descriptors',
      'wires/grpc/reflection.test.ts: reflection lists the services and serves complete descriptors',
      'wires/grpc/reflection.test.ts: malformed bytes for reflection end that call alone',
    ),
    shown(
      'Health: the server, each service and readiness while READY, liveness always, startup once started',
      'wires/grpc/health.test.ts: health: check, list and watch need no key',
      'faults/database-start.test.ts: is visible on both wires while another server migrates',
      'faults/admin-drain.test.ts: a drain with work in progress serves reads and streams, refuses writes, and ends at its timeout',
    ),
    shown(
      'GetUser without a field is the caller; the id takes precedence over the e-mail address',
      'store/identity/users.test.ts: get reads oneself, by id and by e-mail; the id wins',
    ),
    shown(
      'Content and text are streamed in pieces, with their type',
      'contract/memories/memories.scenarios.ts: content comes back byte for byte, text as it was extracted',
      'contract/memories/memories.scenarios.ts: an empty document is a document',
      'contract/memories/large-content.test.ts: 100 MB in one gRPC message: stored as sent, in memory for the message and one copy',
    ),
    shown(
      'Errors of the items of a batch have gRPC codes',
      'contract/memories/batch-items.test.ts: over gRPC an item with an invalid value fails alone too',
    ),
    shown(
      'Messages may be compressed, and split at any byte',
      'unit/server/transport/grpc/intake.test.ts: compressed messages of either encoding are read, mixed with uncompressed ones',
      'unit/server/transport/grpc/intake.test.ts: messages are the same for any split of their bytes',
    ),
    shown(
      'Malformed messages are INVALID_ARGUMENT, unknown methods UNIMPLEMENTED, without effect on the next call',
      `${GRPC}: malformed bytes are INVALID_ARGUMENT: %s`,
      `${GRPC}: malformed bytes on a stream`,
      `${GRPC}: an unknown method or service is UNIMPLEMENTED`,
    ),
    shown(
      'A drain sends GOAWAY, and responses over REST close their connections',
      'faults/admin-drain.test.ts: a drain with work in progress serves reads and streams, refuses writes, and ends at its timeout',
      'faults/lifecycle-drain.test.ts: SIGTERM: streams finish, reads are served, writes are not, exit 0',
    ),
  ],
};
