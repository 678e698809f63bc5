import { playScenarios } from '../scenario.fixture.ts';
import { chunks } from './chunks.scenarios.ts';
import { listStability } from './list-stability.scenarios.ts';
import { batches, memoryLists } from './lists.scenarios.ts';
import { memories } from './memories.scenarios.ts';
import { reprocessing } from './reprocess.scenarios.ts';
import { memoryUpdates } from './update.scenarios.ts';

playScenarios({
  memories,
  'updates of memories': memoryUpdates,
  reprocessing,
  chunks,
  'lists of memories': memoryLists,
  'lists under writers': listStability,
  batches,
});
