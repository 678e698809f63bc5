import { type Chapter, shown } from '../line.ts';

const KEYS = 'contract/identity/api-keys.scenarios.ts';

export const STATES: Chapter = {
  title: 'States and transitions',
  lines: [
    shown(
      'API key: created ACTIVE, usable at once, with a Location header',
      `${KEYS}: create gives the raw key once, and it works at once`,
      'wires/rest/http.test.ts: creates answer 201 with the path of what they made',
    ),
    shown(
      'API key: creation with a past expiry makes nothing',
      'contract/spaces/refused-creates.scenarios.ts: a refused … leaves nothing behind',
    ),
    shown(
      'API key: ACTIVE to INACTIVE and back, with time and updater recorded',
      `${KEYS}: an INACTIVE key stops at once and comes back`,
      `${KEYS}: id, owner, key material and audit fields never change; an update records who and when`,
    ),
    shown(
      'API key: a deleted one stops authenticating at once, on every server',
      `${KEYS}: a deleted key stops at once; a repeat of the delete finds nothing`,
      'store/identity/api-keys.test.ts: a key stops at once when it is inactive, expired or deleted, on every server',
      'faults/database-start.test.ts: what one server does to a key holds on the other at once; tokens of pages fit both',
    ),
    shown(
      'Server: STARTING can be seen, then READY',
      'faults/database-start.test.ts: is visible on both wires while another server migrates',
    ),
    shown(
      'Server: a database that falls silent is told by /readyz and the gRPC health service within ten seconds',
      'faults/database-silent.postgres.test.ts: is told by both wires, calls are refused meanwhile, and all is well when it answers again',
      'faults/database-stopped.postgres.test.ts: with all its processes is told on both wires, costs a running job no attempt, and all is well when it goes on',
      'unit/server/store/heartbeat.test.ts: silence is told within ten seconds, and so is its end',
    ),
    shown(
      'Server: /livez always 200 with the state, /readyz 200 in READY only, /startupz 200 after STARTING',
      'wires/rest/http.test.ts: the health endpoints need no key and say where the server is',
      'faults/database-start.test.ts: is visible on both wires while another server migrates',
      'faults/lifecycle-drain.test.ts: SIGTERM: streams finish, reads are served, writes are not, exit 0',
      'faults/admin-drain.test.ts: a drain of an idle server is over at once, and the server stays until a signal',
    ),
    shown(
      'Server: SIGTERM, SIGINT and the closing of its terminal drain it, and it ends with 0',
      'faults/lifecycle-drain.test.ts: SIGTERM: streams finish, reads are served, writes are not, exit 0',
      'faults/lifecycle-drain.test.ts: after SIGKILL, and after a SIGINT that ends with 0, the database opens with all that was answered in it',
      'faults/lifecycle-drain.test.ts: SIGHUP, however often it comes: streams finish, exit 0',
      'faults/lifecycle-drain.test.ts: a terminal that is closed ends the server in it as SIGTERM does: %s',
    ),
    shown(
      'Server: admin:drain puts it into drain mode',
      'faults/admin-drain.test.ts: a drain with work under way: what is served, what is not, and how it ends',
      'faults/admin-drain.test.ts: a drain of an idle server is over at once, and the server stays until a signal',
    ),
    shown(
      'Server: the gRPC health service mirrors the lifecycle',
      'wires/grpc/grpc.test.ts: health: check, list and watch need no key',
      'faults/admin-drain.test.ts: a drain with work under way: what is served, what is not, and how it ends',
      'faults/database-start.test.ts: is visible on both wires while another server migrates',
    ),
    shown(
      'Memory: PENDING, PROCESSING, COMPLETED, FAILED; its chunks are there, COMPLETED, when it is',
      'contract/memories/memories.scenarios.ts: create answers with a PENDING record, which ends COMPLETED',
      'contract/memories/memories.scenarios.ts: a type that nobody can read ends FAILED, with a reason, and keeps its content',
      'faults/admin-drain.test.ts: a drain with work under way: what is served, what is not, and how it ends',
      'contract/memories/chunks.scenarios.ts: a chunk is described as documented',
    ),
    shown(
      'Memory: owners take turns at the workers, and nobody waits for more than one memory of anybody else',
      'store/jobs/turns.test.ts: go round by the owners of the spaces',
      'store/jobs/turns.test.ts: a short text waits for one job of somebody else, however many there are',
    ),
    shown(
      'Memory: what its chunking may cost is bounded, in time for patterns and in chunks',
      'store/jobs/turns.test.ts: a hostile pattern costs its own memory seconds and says so',
      'unit/server/workers/chunk/chunk-cost.test.ts: bounds the chunks of a memory',
      'unit/server/workers/chunk/chunk-cost.test.ts: bounds how often overlap repeats a text',
    ),
    shown(
      'Memory: waits for a provider that is away, without using up attempts, for the giveUpAfterMinutes of its space',
      'contract/spaces/spaces.scenarios.ts: giveUpAfterMinutes is an hour unless told, and can be changed',
      'store/jobs/retries.test.ts: a provider that is away uses up no attempt, until the time of the space is over',
      'store/jobs/retries.test.ts: a change of giveUpAfterMinutes holds from the next attempt',
      'store/jobs/retries.test.ts: a Retry-After of weeks ends the memory FAILED at once',
    ),
    shown(
      'Memory: one that ends FAILED says why in failureReason, in lists too, until it is processed again',
      'contract/memories/memories.scenarios.ts: a type that nobody can read ends FAILED, with a reason, and keeps its content',
      'contract/memories/reprocess.scenarios.ts: a FAILED memory is tried again; without a body or with an empty one',
      'store/jobs/retries.test.ts: after five attempts the memory is FAILED',
    ),
    shown(
      'Memory: what one job learns of an unavailable provider counts for the other jobs of the embedder, which do not call it',
      'store/jobs/circuits.test.ts: what one job is told to wait counts for all jobs of the embedder, whatever their space',
      'store/jobs/circuits.test.ts: a job whose time is over before asks for itself',
    ),
    shown(
      'Memory: a slow database uses up no attempt either',
      'store/jobs/leases.test.ts: a database that is slow',
      'store/jobs/attempts.test.ts: a claim whose answer is lost uses up no attempt',
      'store/jobs/attempts.test.ts: a lease that the database was too slow to renew uses up none, when its worker lives',
      'store/jobs/attempts.test.ts: nobody takes a job over before a worker that lives can have renewed its lease',
    ),
    shown(
      'Memory: a content that kills its workers ends FAILED when the attempts are used up',
      'store/jobs/attempts.test.ts: a content that kills its workers ends FAILED after five of them, and those that had not begun do not count',
    ),
  ],
};
