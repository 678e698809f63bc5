import type { Scenario } from '../scenario.fixture.ts';
import { RERANKERS } from './target-areas.ts';
import { targetScenarios } from './targets.scenarios.ts';

export const rerankers: readonly Scenario[] = targetScenarios(RERANKERS);
