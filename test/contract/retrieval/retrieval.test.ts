import { playScenarios } from '../scenario.fixture.ts';
import { ping } from '../targets/ping.scenarios.ts';
import { chat } from './chat.scenarios.ts';
import { retrieval } from './retrieval.scenarios.ts';

playScenarios({ retrieval, 'the chat post processor': chat, ping });
