import { type Chapter, shown } from '../line.ts';

const KEYS = 'contract/identity/api-keys.scenarios.ts';

export const STATES: Chapter = {
  title: 'States and transitions',
  lines: [
    shown(
      'API key: created ACTIVE, usable at once, with a Location header',
      `${KEYS}: create gives the raw key once, and it works at once`,
      'wires/rest/http.test.ts: creates answer 201 with the Location of the new resource',
    ),
    shown(
      'API key: a creation with a past expiry creates nothing',
      'contract/spaces/refused-creates.scenarios.ts: a refused … leaves nothing behind',
    ),
    shown(
      'API key: ACTIVE to INACTIVE and back, with time and updater recorded',
      `${KEYS}: an INACTIVE key is refused at once and can be reactivated`,
      `${KEYS}: id, owner, key material and audit fields never change; an update records its caller and time`,
    ),
    shown(
      'API key: a deleted one is refused at once, on every server',
      `${KEYS}: a deleted key is refused at once; a second delete is NOT_FOUND`,
      'store/identity/api-keys.test.ts: an inactive, expired or deleted key is refused at once, on every server',
      'faults/database-start.test.ts: a key changed on one server is changed on the other at once; page tokens are valid on both',
    ),
    shown(
      'Server: STARTING is reported, then READY',
      'faults/database-start.test.ts: is visible on both wires while another server migrates',
    ),
    shown(
      'Server: /readyz and the gRPC health service report a database that stops answering within ten seconds',
      'faults/database-silent.postgres.test.ts: is reported on both wires, calls are refused meanwhile, and the server recovers when it answers again',
      'faults/database-stopped.postgres.test.ts: with all its processes is reported on both wires, uses up no attempt of a running job, and the server recovers when it resumes',
      'unit/server/store/heartbeat.test.ts: silence is reported within ten seconds, and so is its end',
    ),
    shown(
      'Server: /livez always 200 with the state, /readyz 200 in READY only, /startupz 200 after STARTING',
      'wires/rest/http.test.ts: the health endpoints need no key and report the state',
      'faults/database-start.test.ts: is visible on both wires while another server migrates',
      'faults/lifecycle-drain.test.ts: SIGTERM: streams finish, reads are served, writes are not, exit 0',
      'faults/admin-drain.test.ts: a drain of an idle server ends at once, and the server runs until a signal',
    ),
    shown(
      'Server: SIGTERM, SIGINT and the closing of its terminal drain it, and it exits with 0',
      'faults/lifecycle-drain.test.ts: SIGTERM: streams finish, reads are served, writes are not, exit 0',
      'faults/lifecycle-drain.test.ts: after SIGKILL, and after a SIGINT that exits with 0, the database holds every acknowledged write',
      'faults/lifecycle-drain.test.ts: SIGHUP, however often it comes: streams finish, exit 0',
      'faults/lifecycle-drain.test.ts: closing its terminal drains the server as SIGTERM does: %s',
    ),
    shown(
      'Server: admin:drain puts it into drain mode',
      'faults/admin-drain.test.ts: a drain with work in progress serves reads and streams, refuses writes, and ends at its timeout',
      'faults/admin-drain.test.ts: a drain of an idle server ends at once, and the server runs until a signal',
    ),
    shown(
      'Server: the gRPC health service mirrors the lifecycle',
      'wires/grpc/health.test.ts: health: check, list and watch need no key',
      'faults/admin-drain.test.ts: a drain with work in progress serves reads and streams, refuses writes, and ends at its timeout',
      'faults/database-start.test.ts: is visible on both wires while another server migrates',
    ),
    shown(
      'Memory: PENDING, PROCESSING, COMPLETED, FAILED; its chunks appear, COMPLETED, together with it',
      'contract/memories/memories.scenarios.ts: create answers with a PENDING record, which ends COMPLETED',
      'contract/memories/memories.scenarios.ts: an unsupported content type ends FAILED, with a reason, and keeps its content',
      'faults/admin-drain.test.ts: a drain with work in progress serves reads and streams, refuses writes, and ends at its timeout',
      'contract/memories/chunks.scenarios.ts: a chunk is described as documented',
    ),
    shown(
      'Memory: jobs are scheduled fairly by owner; a memory waits for at most one memory, or one batch of small ones, of each other owner',
      'store/jobs/turns.test.ts: alternates between the owners of the spaces',
      'store/jobs/turns.test.ts: shares a batch of small jobs among the owners, and leaves large ones for later',
      'store/jobs/turns.test.ts: a short text waits for one job of another owner at most',
      'store/jobs/turns.test.ts: a short text waits for one batch of small jobs of another owner at most',
    ),
    shown(
      'Memory: the cost of chunking is bounded, in time for patterns and in chunks',
      'store/jobs/turns.test.ts: a slow separator pattern fails its own memory within seconds and says so',
      'unit/server/workers/chunk/chunk-text/cost.test.ts: bounds the chunks of a memory',
      'unit/server/workers/chunk/chunk-text/cost.test.ts: bounds how often overlap repeats a text',
    ),
    shown(
      'Memory: waits for an unavailable provider, without using up attempts, for the giveUpAfterMinutes of its space',
      'contract/spaces/spaces.scenarios.ts: giveUpAfterMinutes is an hour unless told, and can be changed',
      'store/jobs/retries.test.ts: an unavailable provider uses up no attempt, until giveUpAfterMinutes is over',
      'store/jobs/retries.test.ts: a change of giveUpAfterMinutes applies from the next attempt',
      'store/jobs/retries.test.ts: a Retry-After of weeks ends the memory FAILED at once',
    ),
    shown(
      'Memory: a FAILED one has its failureReason, in lists too, until it is processed again',
      'contract/memories/memories.scenarios.ts: an unsupported content type ends FAILED, with a reason, and keeps its content',
      'contract/memories/reprocess.scenarios.ts: a FAILED memory is tried again; without a body or with an empty one',
      'store/jobs/retries.test.ts: after five attempts the memory is FAILED',
    ),
    shown(
      'Memory: an open circuit of an embedder holds all its jobs, without calls',
      'store/jobs/circuits.test.ts: an open circuit of an embedder holds all its jobs, in every space',
      'store/jobs/circuits.test.ts: a job whose deadline passes earlier makes a last attempt of its own',
    ),
    shown(
      'Memory: a slow database uses up no attempt either',
      'store/jobs/leases.test.ts: a slow database',
      'store/jobs/attempts.test.ts: a claim whose response is lost uses up no attempt',
      'store/jobs/attempts.test.ts: a lease that a slow database failed to renew uses up none while its worker runs',
      'store/jobs/attempts.test.ts: no worker takes a job over before a running one could renew its lease',
    ),
    shown(
      'Memory: a content that crashes its workers ends FAILED when the attempts are used up',
      'store/jobs/attempts.test.ts: a content that crashes its workers ends FAILED after five crashes; unstarted attempts do not count',
    ),
  ],
};
