import { playScenarios } from './scenario.ts';
import { memories } from './scenarios/memories.ts';
import { batches, memoryLists } from './scenarios/memory-lists.ts';

playScenarios({ memories, 'lists of memories': memoryLists, batches });
