import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { EmbedderClient } from '../../../src/server/providers/embedders/types.ts';
import { ProviderError } from '../../../src/server/providers/errors.ts';
import type { JobDeps } from '../../../src/server/service/ingest/deps.ts';
import { EmbedderCircuits } from '../../../src/server/service/ingest/embedder-circuits.ts';
import { DatabaseHealth } from '../../../src/server/service/ingest/lease.ts';
import { runBatch } from '../../../src/server/service/ingest/run-batch.ts';
import { runJob } from '../../../src/server/service/ingest/run-job.ts';
import { claimJobs } from '../../../src/server/store/job-claim.ts';
import type { ClaimedJob } from '../../../src/server/store/jobs.ts';
import { ProviderType } from '../../../src/shared/gen/service/v1/common_pb.ts';
import { standInVector } from '../../support/stand-ins/vector.ts';
import { signal, sql } from '../identity.fixture.ts';
import { bytes, useMemoryWorld } from '../memory.fixture.ts';

const world = useMemoryWorld();
const DIMENSIONS = 64;

/** What is wrong with a text, and how a provider fails that gets it, alone or among others. */
const FAULTS: Readonly<Record<string, () => Error>> = {
  refused: () => new ProviderError('rejected', 'no such input'),
  malformed: () => new ProviderError('invalid_response', 'answered with a vector that is zero'),
  crashing: () => new ProviderError('server_error', 'broken'),
  late: () => new ProviderError('timeout', 'did not answer'),
  dropped: () => new ProviderError('unavailable', 'closed the connection', { connected: true }),
};
/** How a provider fails whatever the text. */
const OUTAGES: Readonly<Record<string, () => Error>> = {
  throttling: () => new ProviderError('rate_limited', 'busy', { httpStatus: 429, retryAfterMs: 120_000 }),
  unreachable: () => new ProviderError('unavailable', 'refused', { away: true }),
  misconfigured: () => new ProviderError('configuration', 'wrong key', { httpStatus: 401 }),
};

const KINDS = [
  'plain',
  'empty',
  'unsupported',
  ...Object.keys(FAULTS),
  // Refused by one of the two embedders, or with a vector that the table does not take.
  'secondly',
  'bent',
  // Deleted or taken over, between the claim and the load or while the embedder is at work.
  'deleted',
  'stolen',
  'vanishing',
  'seized',
  // Of an earlier attempt there is the text, with an unknown digest or a wrong one, or there are chunks.
  'remembered',
  'changed',
  'repeated',
  // Nearly given up.
  'last',
  'impatient',
] as const;
type Kind = (typeof KINDS)[number];

/** Kinds of which an earlier attempt has left something. */
const REMAINS: ReadonlySet<Kind> = new Set(['remembered', 'changed', 'repeated']);

interface Scenario {
  kinds: readonly Kind[];
  outage: string | undefined;
}

/** The two embedders of every space of a run, as they fail in a scenario. */
function targetsFor({ outage }: Scenario, memoryOf: ReadonlyMap<string, string>): JobDeps['targets'] {
  const embed = async (texts: readonly string[], place: number): Promise<Float32Array[]> => {
    const failure = outage === undefined ? undefined : OUTAGES[outage];
    if (failure !== undefined) throw failure();
    for (const text of texts) {
      await interfere(text, memoryOf.get(text) ?? '');
      const fault = FAULTS[kindOf(text)];
      if (fault !== undefined) throw fault();
      if (kindOf(text) === 'secondly' && place === 1) throw new ProviderError('rejected', 'not here');
    }
    return texts.map((text) => vectorOf(text, (place + 1) * DIMENSIONS));
  };
  const failing = (inner: EmbedderClient, place: number): EmbedderClient => ({
    resolvedEndpoint: inner.resolvedEndpoint,
    probe: (payload, options) => inner.probe(payload, options),
    embed: (texts) => embed(texts, place),
  });
  return {
    async embedders(ids, stop) {
      const open = await world.deps.targets.embedders(ids, stop);
      return open.map((found) => ({
        ...found,
        client: () => failing(found.client(), found.row.displayName === 'First' ? 0 : 1),
      }));
    },
  };
}

const kindOf = (text: string) => text.split(' ')[0] ?? '';

function vectorOf(text: string, dimensions: number): Float32Array {
  const values = standInVector(text, kindOf(text) === 'bent' ? dimensions + 1 : dimensions);
  const length = Math.hypot(...values);
  return Float32Array.from(values, (value) => value / length);
}

/** What happens to a memory while its text is being embedded. */
async function interfere(text: string, memoryId: string): Promise<void> {
  if (kindOf(text) === 'vanishing') await remove(memoryId);
  if (kindOf(text) === 'seized') await steal(memoryId);
}

async function remove(memoryId: string): Promise<void> {
  // Gone already where both embedders are asked.
  await world.memory('deleteMemory', { memoryId }).catch(() => undefined);
}

const STOLEN = '01980000-0000-7000-8000-0000000000ee';
const steal = (memoryId: string) =>
  sql(world.db, `update job set lease_token = $2 where memory_id = $1`, [memoryId, STOLEN]);

/** What was stored before for memories of some kinds. */
async function prepare(kind: Kind, memoryId: string): Promise<void> {
  const change = (set: string) => sql(world.db, `update job set ${set} where memory_id = $1`, [memoryId]);
  const text = `insert into text_part (space_id, memory_id, part, start_offset, data)
    select space_id, memory_id, 0, 0, 'an old text' from memory where memory_id = $1`;
  if (kind === 'last') await change('attempts = 4');
  if (kind === 'impatient') await change(`away_since = now() - interval '59 minutes', away_attempts = 7`);
  if (REMAINS.has(kind)) await sql(world.db, text, [memoryId]);
  if (kind === 'changed') await change(`prepared_digest = 'other'`);
  if (kind === 'repeated') {
    const chunk = `insert into chunk (space_id, memory_id, sequence, chunk_id, text, start_offset, end_offset,
      vector_status, created_at, updated_at) select space_id, memory_id, 0, gen_random_uuid(), 'old', 0, 3, 'COMPLETED',
      now(), now() from memory where memory_id = $1`;
    await sql(world.db, chunk, [memoryId]);
  }
}

/** Runs the scenario in a space of its own; `how` runs claimed jobs in their order. Returns all that is stored then. */
async function run(
  scenario: Scenario,
  embedders: readonly string[],
  how: (deps: JobDeps, jobs: readonly ClaimedJob[]) => Promise<string[]>,
  most: number,
): Promise<object> {
  const spaceEmbedders = embedders.map((embedderId) => ({ embedderId }));
  const { spaceId } = await world.call(
    'createSpace',
    { name: `space ${crypto.randomUUID()}`, spaceEmbedders },
    world.ada,
  );
  const memoryOf = new Map<string, string>();
  const made: string[] = [];
  for (const [at, kind] of scenario.kinds.entries()) {
    const text = kind === 'empty' ? '' : `${kind} ${at}`;
    const contentType = kind === 'unsupported' ? 'application/x-thing' : 'text/plain';
    const request = { spaceId, contentType, originalContent: bytes(text) };
    const { memoryId } = await world.memory('createMemory', request);
    await prepare(kind, memoryId);
    memoryOf.set(text, memoryId);
    made.push(memoryId);
  }
  const deps: JobDeps = {
    ...world.deps,
    targets: targetsFor(scenario, memoryOf),
    circuits: new EmbedderCircuits(),
    database: new DatabaseHealth(60_000, 2000),
  };
  const jobs: ClaimedJob[] = [];
  for (;;) {
    const claim = { workerId: 'w', leaseToken: crypto.randomUUID(), leaseMs: 60_000, most, smallBytes: 4096 };
    const claimed = await claimJobs(world.db.background, claim);
    if (claimed.length === 0) break;
    jobs.push(...claimed);
  }
  for (const [at, kind] of scenario.kinds.entries()) {
    if (kind === 'deleted') await remove(made[at] ?? '');
    if (kind === 'stolen') await steal(made[at] ?? '');
  }
  const results = await how(deps, jobs);
  const stored = [];
  for (const [at, kind] of scenario.kinds.entries()) {
    const found = await storedOf(made[at] ?? '', embedders);
    stored.push(kind === 'vanishing' || kind === 'seized' ? uncounted(found) : found);
  }
  const counts = 'select vector_count as count from space_embedder where space_id = $1 order by position';
  const counted = await sql(world.db, counts, [spaceId]);
  await sql(world.db, 'delete from job where space_id = $1', [spaceId]);
  return { results: results.toSorted(), stored, counted };
}

type Rows = Record<string, unknown>[];

interface Found {
  memory: Rows;
  job: Rows;
  attempts: Rows;
  text: Rows;
  chunks: Rows;
  vectors: Rows[];
}

/**
 * Without what tells whether the attempt had begun: one in a batch counts when it ends, so that those whose memory goes, or
 * that are taken over in the middle, stay uncounted there.
 */
function uncounted({ memory, job, attempts, ...rest }: Found): object {
  const without = (rows: Rows, name: string) => rows.map((row) => ({ ...row, [name]: undefined }));
  return {
    memory: without(memory, 'processing_status'),
    job: without(job, 'attempts'),
    attempts: without(attempts, 'is_counted'),
    ...rest,
  };
}

/** Everything about a memory that does not depend on ids and times. */
async function storedOf(memoryId: string, embedders: readonly string[]): Promise<Found> {
  const rows = (text: string) => sql<Record<string, unknown>>(world.db, text, [memoryId]);
  return {
    memory: await rows(`select processing_status, chunk_count, failure_reason from memory where memory_id = $1`),
    job: await rows(`select status, attempts, last_error, away_since is not null as away, away_attempts,
      lease_token = '${STOLEN}' as stolen, locked_by, prepared_digest is not null as prepared, run_at > updated_at as waits
      from job where memory_id = $1`),
    attempts: await rows(`select a.ok, a.is_counted, a.error_message, a.status_message, a.progress_current,
      a.progress_total from job_attempt a join job j using (job_id) where j.memory_id = $1 order by a.attempt_id`),
    text: await rows('select part, start_offset, data from text_part where memory_id = $1'),
    chunks: await rows(`select sequence, text, start_offset, end_offset, vector_status from chunk
      where memory_id = $1 order by sequence`),
    vectors: await Promise.all(
      embedders.map((id) =>
        rows(`select sequence, embedding::text from vector_${id.replaceAll('-', '')}
          where memory_id = $1 order by sequence`),
      ),
    ),
  };
}

async function singly(deps: JobDeps, jobs: readonly ClaimedJob[]): Promise<string[]> {
  const results: string[] = [];
  for (const job of jobs) results.push(await runJob(deps, job, signal));
  return results;
}

async function together(deps: JobDeps, jobs: readonly ClaimedJob[]): Promise<string[]> {
  const results: string[] = [];
  await runBatch(deps, jobs, (_, result) => results.push(result), signal);
  return results;
}

test('a batch ends as its jobs would have ended one by one', { timeout: 240_000 }, async () => {
  const words = { providerType: ProviderType.BUILTIN, modelIdentifier: 'lexical-v1', dimensionality: DIMENSIONS };
  const first = await world.call('createEmbedder', { ...words, displayName: 'First' }, world.ada);
  const other = { ...words, dimensionality: 2 * DIMENSIONS, displayName: 'Second' };
  const second = await world.call('createEmbedder', other, world.ada);
  const embedders = [first.embedderId, second.embedderId];
  const kindsOf = (kinds: readonly Kind[]) =>
    fc.array(fc.constantFrom<Kind>('plain', 'plain', ...kinds), { minLength: 2, maxLength: 9 });
  // In an outage only the first job asks, and those that a batch leaves to be run one by one come last.
  const scenarios = fc.oneof(
    { weight: 3, arbitrary: fc.record({ kinds: kindsOf(KINDS), outage: fc.constant(undefined) }) },
    {
      weight: 1,
      arbitrary: fc.record({
        kinds: kindsOf(KINDS.filter((kind) => !REMAINS.has(kind))),
        outage: fc.constantFrom(...Object.keys(OUTAGES)),
      }),
    },
  );
  await fc.assert(
    fc.asyncProperty(scenarios, async (scenario) => {
      const expected = await run(scenario, embedders, singly, 1);
      expect(await run(scenario, embedders, together, scenario.kinds.length)).toEqual(expected);
    }),
    // Every kind at least once, in one batch.
    { numRuns: 8, examples: [[{ kinds: [...KINDS], outage: undefined }]] },
  );
});
