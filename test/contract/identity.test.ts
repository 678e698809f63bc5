import { playScenarios } from './scenario.ts';
import { apiKeys } from './scenarios/api-keys.ts';
import { users } from './scenarios/users.ts';

playScenarios({ users, 'API keys': apiKeys });
