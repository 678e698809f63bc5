import { playScenarios } from './scenario.ts';
import { embedders } from './scenarios/embedders.ts';
import { spaceLists } from './scenarios/space-lists.ts';
import { spaces } from './scenarios/spaces.ts';

/** Inline credentials need a key on an external database. */
const SECRETS_KEY = Buffer.alloc(32, 7).toString('base64');

playScenarios({ spaces, 'lists of spaces': spaceLists, embedders }, ['--secrets-key', SECRETS_KEY]);
