import { afterEach, beforeEach, expect } from 'vitest';
import type { EndedAttempt, IngestDeps } from '../../../src/server/service/ingest/deps.ts';
import type { IngestWorkers } from '../../../src/server/service/ingest/ingest-workers.ts';
import type { Memory } from '../../../src/shared/gen/service/v1/memory_pb.ts';
import { OpenAiStandIn } from '../../support/stand-ins/openai.ts';
import { openAi } from '../embedder.fixture.ts';
import { sql } from '../identity.fixture.ts';
import { type MemoryWorld, useMemoryWorld } from '../memory.fixture.ts';

/** The workers of one server, with the results of their attempts. */
interface JobServer {
  workers: IngestWorkers;
  results: string[];
  /** Waits until so many attempts have ended, and returns their results. */
  ended(count: number): Promise<string[]>;
}

/** Servers on one database, as far as they work on jobs. */
interface JobServers {
  world: MemoryWorld;
  /** A space of ada's, its only embedder, and the provider of that; each test has its own. */
  spaceId: string;
  embedderId: string;
  provider: OpenAiStandIn;
  start(over?: Partial<IngestDeps>): JobServer;
  /** Lets all workers look for jobs, which they do every second anyhow. */
  wake(): void;
  /** The job's next attempt is due now, or another change is made to its row. */
  hurry(memoryId: string, change?: string): Promise<void>;
  /** Stops all servers, which happens by itself at the end of a test. */
  stop(): Promise<void>;
  /** Creates a text memory in the space, which the workers see at once. */
  remember(text: string, request?: object): Promise<Memory>;
  /** A memory with the history of its processing. */
  look(memoryId: string): Promise<Memory>;
  /** Lets the provider take the next request and keep it until the answer is released. */
  hold(): { release(): void };
}

/** A database for the tests of a file; its fields can be read once the tests run. */
export function useJobServers(settings: Partial<IngestDeps['settings']> = {}): JobServers {
  const running: IngestWorkers[] = [];
  const servers = {
    world: useMemoryWorld(settings),
    start: (over = {}) => {
      const { workers, ...server } = observed((observe) => servers.world.workers({ observe, ...over }));
      running.push(workers);
      workers.start();
      return { workers, ...server };
    },
    wake: () => {
      for (const workers of running) workers.wake();
    },
    hurry: async (memoryId, change = 'run_at = now()') => {
      await sql(servers.world.db, `update job set ${change} where memory_id = $1`, [memoryId]);
      servers.wake();
    },
    stop: async () => {
      await Promise.all(running.splice(0).map((workers) => workers.stop()));
    },
    remember: async (text, request = {}) => {
      const memory = await servers.world.remember(servers.spaceId, text, request);
      servers.wake();
      return memory;
    },
    look: (memoryId) => servers.world.memory('getMemory', { memoryId, includeProcessingHistory: true }),
    hold: () => {
      let release = () => {};
      const until = new Promise<void>((resolve) => {
        release = resolve;
      });
      servers.provider.next({ kind: 'held', until });
      return { release };
    },
  } as JobServers;
  beforeEach(async () => {
    servers.provider = await OpenAiStandIn.start({ dimensions: 8 });
    const request = openAi({ endpointUrl: `${servers.provider.url}/v1`, dimensionality: 8 });
    ({ embedderId: servers.embedderId } = await servers.world.call('createEmbedder', request, servers.world.ada));
    servers.spaceId = await servers.world.space({ embedderId: servers.embedderId });
  });
  afterEach(async () => {
    await servers.stop();
    await servers.provider.close();
  });
  return servers;
}

/** Workers that are made to report to an observer, and what it has seen. */
function observed(make: (observe: NonNullable<IngestDeps['observe']>) => IngestWorkers): JobServer {
  const results: string[] = [];
  const waiting: (() => void)[] = [];
  const workers = make({
    attemptEnded({ type, result }: EndedAttempt) {
      expect(type).toBe('document_processor');
      results.push(result);
      for (const wake of waiting.splice(0)) wake();
    },
  });
  return {
    workers,
    results,
    async ended(count) {
      while (results.length < count) await new Promise<void>((resolve) => waiting.push(resolve));
      return results;
    },
  };
}

/** What is stored of a memory of the space: chunks, distinct ones among them, vectors, and how many vectors are counted. */
export async function stored(
  { world, spaceId }: JobServers,
  memoryId: string,
): Promise<{ chunks: number; distinct: number; vectors: number; counted: number }> {
  const [row] = await sql<{ chunks: number; distinct: number; embedderId: string; counted: number }>(
    world.db,
    `select count(c.sequence) as chunks, count(distinct c.sequence) as distinct,
       min(se.embedder_id::text) as "embedderId", min(se.vector_count) as counted
     from space_embedder se left join chunk c on c.space_id = se.space_id and c.memory_id = $2
     where se.space_id = $1`,
    [spaceId, memoryId],
  );
  const table = `vector_${row?.embedderId.replaceAll('-', '')}`;
  const [vectors] = await sql<{ count: number }>(world.db, `select count(*) as count from ${table}`);
  return {
    chunks: row?.chunks ?? -1,
    distinct: row?.distinct ?? -1,
    vectors: vectors?.count ?? -1,
    counted: row?.counted ?? -1,
  };
}
