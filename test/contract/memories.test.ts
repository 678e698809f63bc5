import { playScenarios } from './scenario.ts';
import { chunks } from './scenarios/chunks.ts';
import { listStability } from './scenarios/list-stability.ts';
import { memories } from './scenarios/memories.ts';
import { batches, memoryLists } from './scenarios/memory-lists.ts';
import { reprocessing } from './scenarios/memory-reprocess.ts';
import { memoryUpdates } from './scenarios/memory-update.ts';

playScenarios({
  memories,
  'updates of memories': memoryUpdates,
  reprocessing,
  chunks,
  'lists of memories': memoryLists,
  'lists under writers': listStability,
  batches,
});
