import type { Db } from '../../store/db.ts';
import type { IngestWorkers } from '../ingest/ingest-workers.ts';
import type { PageTokens } from '../page-token.ts';
import type { InsertGroups } from './insert-groups.ts';

export interface MemoryDeps {
  db: Db;
  pageTokens: PageTokens;
  ingest: Pick<IngestWorkers, 'wake' | 'completions'>;
  /** Bytes (`--max-content-mb` times 1,048,576). */
  maxContentBytes: number;
  /** Timeout of the search by filter of a list or a deletion; ten seconds by default. */
  searchTimeoutMs?: number;
}

/** What creates share, so that those of several calls can be committed together. */
export interface CreateDeps extends MemoryDeps {
  inserts: Pick<InsertGroups, 'insert'>;
}
