import { playScenarios } from './scenario.ts';
import { system } from './scenarios/system.ts';
import { built, unbuilt } from './scenarios/unbuilt.ts';

playScenarios({ system, 'what this build lacks': unbuilt, 'what it has': built });
