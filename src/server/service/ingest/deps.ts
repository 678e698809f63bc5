import type { Lifecycle } from '../../lifecycle.ts';
import type { Logger } from '../../log.ts';
import type { Db } from '../../store/db.ts';
import type { WorkerPool } from '../../workers/pool.ts';
import type { TargetOpener } from '../targets/open-target.ts';
import type { Absences } from './absences.ts';
import type { DatabaseWatch } from './lease.ts';

/** One attempt of a job, at its end. */
export interface EndedAttempt {
  /** Of the job, one of a few that the server knows. */
  type: string;
  /** `retried` covers every attempt that leaves the job PENDING. */
  result: 'succeeded' | 'failed' | 'retried' | 'released' | 'lost';
  seconds: number;
}

/** Told about what the workers do, for the metrics. */
export interface IngestObserver {
  /** An attempt has ended. */
  attemptEnded?(attempt: EndedAttempt): void;
  chunksEmbedded?(provider: string, count: number): void;
}

export interface IngestSettings {
  /** Jobs at once. */
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

/** What the jobs of one process share. */
export interface JobDeps extends IngestDeps {
  absences: Absences;
  database: DatabaseWatch;
}
