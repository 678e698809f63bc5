import { playScenarios } from './scenario.ts';
import { ping } from './scenarios/ping.ts';
import { chat, retrieval } from './scenarios/retrieval.ts';

playScenarios({ retrieval, 'the chat post processor': chat, ping });
