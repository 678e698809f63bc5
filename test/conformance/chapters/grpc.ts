import { type Chapter, shown } from '../line.ts';

const GRPC = 'wires/grpc/grpc.test.ts';

export const GRPC_CHAPTER: Chapter = {
  title: 'gRPC',
  lines: [
    shown(
      'Every operation of REST but the proxy is an RPC of service.v1, a stream where REST streams',
      `${GRPC}: the RPCs of the services are the operations that REST has, with streams where it has them`,
      'contract/scenario.fixture.ts: %s',
    ),
    shown(
      'Reflection lists the services and serves their descriptors',
      `${GRPC}: reflection lists the services and serves descriptors that hold together`,
      `${GRPC}: garbage for reflection ends that call and nothing else`,
    ),
    shown(
      'Health: the server, each service and readiness while READY, liveness always, startup once started',
      `${GRPC}: health: check, list and watch need no key`,
      'faults/database-start.test.ts: is visible on both wires while another server migrates',
      'faults/admin-drain.test.ts: a drain with work under way: what is served, what is not, and how it ends',
    ),
    shown(
      'GetUser without a field is oneself; the id wins over the address',
      'store/identity/users.test.ts: get reads oneself, by id and by e-mail; the id wins',
    ),
    shown(
      'Content and text come in pieces, with their type',
      'contract/memories/memories.scenarios.ts: content comes back byte for byte, text as it was extracted',
      'contract/memories/memories.scenarios.ts: an empty document is a document',
      'contract/memories/large-content.test.ts: 100 MB in one gRPC message: stored as sent, in memory for the message and one copy',
    ),
    shown(
      'Errors of the items of a batch have gRPC codes',
      'contract/memories/batch-items.test.ts: over gRPC an item with a value that no item may have fails alone as well',
    ),
    shown(
      'Messages may be compressed, and cut anywhere',
      'unit/server/transport/grpc/intake.test.ts: compressed messages are read, of either encoding, and those that are not in between',
      'unit/server/transport/grpc/intake.test.ts: messages are the same however their bytes are cut',
    ),
    shown(
      'Bytes that are no message are INVALID_ARGUMENT, methods that do not exist UNIMPLEMENTED, and neither harms the next call',
      `${GRPC}: bytes that are not the message are INVALID_ARGUMENT: %s`,
      `${GRPC}: the same garbage on a stream`,
      `${GRPC}: an unknown method or service is UNIMPLEMENTED`,
    ),
    shown(
      'A drain says GOAWAY, and answers over REST close their connections',
      'faults/admin-drain.test.ts: a drain with work under way: what is served, what is not, and how it ends',
      'faults/lifecycle-drain.test.ts: SIGTERM: streams finish, reads are served, writes are not, exit 0',
    ),
  ],
};
