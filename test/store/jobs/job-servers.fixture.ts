import { expect } from 'vitest';
import type { EndedAttempt, IngestDeps } from '../../../src/server/service/ingest/deps.ts';
import type { IngestWorkers } from '../../../src/server/service/ingest/ingest-workers.ts';
import { sql } from '../identity.fixture.ts';
import type { MemoryWorld } from '../memory.fixture.ts';

/** The workers of one server, with the results of their attempts. */
export interface JobServer {
  workers: IngestWorkers;
  results: string[];
  /** Waits until so many attempts have ended, and returns their results. */
  ended(count: number): Promise<string[]>;
}

/** Servers on one database, as far as they work on jobs. */
export class JobServers {
  readonly #world: MemoryWorld;
  readonly #running: IngestWorkers[] = [];

  constructor(world: MemoryWorld) {
    this.#world = world;
  }

  start(over: Partial<IngestDeps> = {}): JobServer {
    const results: string[] = [];
    const waiting: (() => void)[] = [];
    const observe = {
      attemptEnded({ type, result }: EndedAttempt) {
        expect(type).toBe('document_processor');
        results.push(result);
        for (const wake of waiting.splice(0)) wake();
      },
    };
    const workers = this.#world.workers({ observe, ...over });
    this.#running.push(workers);
    workers.start();
    return {
      workers,
      results,
      async ended(count) {
        while (results.length < count) await new Promise<void>((resolve) => waiting.push(resolve));
        return results;
      },
    };
  }

  /** Lets all workers look for jobs, which they do every second anyhow. */
  wake(): void {
    for (const workers of this.#running) workers.wake();
  }

  /** The job's next attempt is due now, or another change is made to its row. */
  async hurry(memoryId: string, change = 'run_at = now()'): Promise<void> {
    await sql(this.#world.db, `update job set ${change} where memory_id = $1`, [memoryId]);
    this.wake();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#running.splice(0).map((workers) => workers.stop()));
  }
}
