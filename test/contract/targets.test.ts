import { playScenarios } from './scenario.ts';
import { embedders } from './scenarios/embedders.ts';
import { llms } from './scenarios/llms.ts';
import { rerankers } from './scenarios/rerankers.ts';

/** Inline credentials need a key on an external database. */
const SECRETS_KEY = Buffer.alloc(32, 7).toString('base64');

playScenarios({ embedders, llms, rerankers }, ['--secrets-key', SECRETS_KEY]);
