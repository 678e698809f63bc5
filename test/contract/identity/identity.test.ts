import { playScenarios } from '../scenario.fixture.ts';
import { apiKeys } from './api-keys.scenarios.ts';
import { users } from './users.scenarios.ts';

playScenarios({ users, 'API keys': apiKeys });
