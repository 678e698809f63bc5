import { AUTHENTICATION } from './chapters/authentication.ts';
import { DEPLOYMENT } from './chapters/deployment.ts';
import { ENDPOINTS } from './chapters/endpoints.ts';
import { ERRORS } from './chapters/errors.ts';
import { EVENTS_CHAPTER } from './chapters/events.ts';
import { LIMITS } from './chapters/limits.ts';
import { PURPOSE } from './chapters/purpose.ts';
import { RESOURCES } from './chapters/resources.ts';
import { STATES } from './chapters/states.ts';
import type { Chapter } from './line.ts';

export const CHAPTERS: readonly Chapter[] = [
  PURPOSE,
  RESOURCES,
  STATES,
  ENDPOINTS,
  AUTHENTICATION,
  EVENTS_CHAPTER,
  ERRORS,
  LIMITS,
  DEPLOYMENT,
];
