import { playScenarios } from '../scenario.fixture.ts';
import { embedders } from './embedders.scenarios.ts';
import { llms } from './llms.scenarios.ts';
import { rerankers } from './rerankers.scenarios.ts';

/** Inline credentials need a key on an external database. */
const SECRETS_KEY = Buffer.alloc(32, 7).toString('base64');

playScenarios({ embedders, llms, rerankers }, ['--secrets-key', SECRETS_KEY]);
