import { ACCESS } from './chapters/access.ts';
import { AUTHENTICATION } from './chapters/authentication.ts';
import { COMMAND_LINE } from './chapters/command-line.ts';
import { CONVENTIONS } from './chapters/conventions.ts';
import { DEPLOYMENT } from './chapters/deployment.ts';
import { ENDPOINTS } from './chapters/endpoints.ts';
import { ERRORS } from './chapters/errors.ts';
import { EVENTS_CHAPTER } from './chapters/events.ts';
import { GRPC_CHAPTER } from './chapters/grpc.ts';
import { LIMITS } from './chapters/limits.ts';
import { MEMORIES_CHAPTER } from './chapters/memories.ts';
import { OPERATION } from './chapters/operation.ts';
import { PURPOSE } from './chapters/purpose.ts';
import { RESOURCES } from './chapters/resources.ts';
import { RETRIEVAL_CHAPTER } from './chapters/retrieval.ts';
import { STATES } from './chapters/states.ts';
import { TARGETS_CHAPTER } from './chapters/targets.ts';
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
  CONVENTIONS,
  ACCESS,
  MEMORIES_CHAPTER,
  RETRIEVAL_CHAPTER,
  TARGETS_CHAPTER,
  OPERATION,
  GRPC_CHAPTER,
  COMMAND_LINE,
];
