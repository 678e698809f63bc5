import type { Lifecycle } from '../../lifecycle.ts';
import type { Logger } from '../../log.ts';
import type { Db } from '../../store/db.ts';
import type { WorkerPool } from '../../workers/pool.ts';
import type { TargetOpener } from '../targets/open-target.ts';
import type { EmbedderCircuits } from './embedder-circuits.ts';
import type { DatabaseHealth } from './lease.ts';

/** An attempt of a job that has ended. */
export interface EndedAttempt {
  /** Type of the job, one of a fixed set. */
  type: string;
  /** `retried` covers every attempt that leaves the job PENDING. */
  result: 'succeeded' | 'failed' | 'retried' | 'released' | 'lost';
  seconds: number;
}

/** Called by the workers, for the metrics. */
export interface IngestObserver {
  /** Called at the end of each attempt. */
  attemptEnded?(attempt: EndedAttempt): void;
  chunksEmbedded?(provider: string, count: number): void;
  /** Called with the number of vectors of spaces with an index that are in none, whenever they were counted. */
  vectorsOutside?(count: number): void;
  indexBuilt?(): void;
}

interface IngestSettings {
  /** Number of jobs that run at the same time. */
  workerParallelism: number;
  jobLeaseS: number;
  ooxmlLimitsJson: { extraction: { outputCharacters: number } };
}

export interface IngestDeps {
  db: Db;
  workers: Pick<WorkerPool, 'run'>;
  targets: Pick<TargetOpener, 'embedders'>;
  settings: IngestSettings;
  lifecycle: Lifecycle;
  log: Logger;
  observe?: IngestObserver;
}

/** What all jobs of one process share. */
export interface JobDeps extends IngestDeps {
  circuits: EmbedderCircuits;
  database: DatabaseHealth;
}
