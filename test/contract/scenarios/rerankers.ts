import type { Scenario } from '../scenario.ts';
import { RERANKERS } from './target-areas.ts';
import { targetScenarios } from './targets.ts';

export const rerankers: readonly Scenario[] = targetScenarios(RERANKERS);
