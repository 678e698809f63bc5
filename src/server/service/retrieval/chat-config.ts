import { type JsonObject, type JsonValue, ScalarType } from '@bufbuild/protobuf';
import { isUuid } from '../../../shared/fields/formats.ts';
import type { RetrieveMemoryEvent } from '../../../shared/gen/service/v1/memory_pb.ts';
import { scalarReader } from '../../../shared/json/scalars.ts';
import { statusEvent } from './events.ts';

/** Any name with this last segment means the chat post processor. */
export const CHAT_NAME = 'ChatPostProcessorFactory';

/** The settings of the chat post processor, as they are used. */
export interface ChatConfig {
  rerankerId: string | undefined;
  relevanceThreshold: number | undefined;
  chronologicalResort: boolean;
  llmId: string | undefined;
  llmTemp: number;
  maxResults: number;
  sysPrompt: string | undefined;
  prompt: string | undefined;
  /** Undefined: the request's output budget, else 512. */
  genTokenBudget: number | undefined;
}

type Read = (value: JsonValue) => { value: string | number | boolean } | { problem: string };

interface Setting {
  field: keyof ChatConfig;
  read: Read;
}

/** One row per config key: what each means and which values it takes. */
export const CHAT_SETTINGS: Readonly<Record<string, Setting>> = {
  reranker_id: { field: 'rerankerId', read: uuid },
  relevance_threshold: { field: 'relevanceThreshold', read: numberIn(-Infinity, Infinity) },
  chronological_resort: { field: 'chronologicalResort', read: boolean },
  llm_id: { field: 'llmId', read: uuid },
  llm_temp: { field: 'llmTemp', read: numberIn(0, 2) },
  max_results: { field: 'maxResults', read: integerIn(1, 1000) },
  sys_prompt: { field: 'sysPrompt', read: text },
  prompt: { field: 'prompt', read: text },
  gen_token_budget: { field: 'genTokenBudget', read: integerIn(1, 2_147_483_647) },
};

const DEFAULTS: ChatConfig = {
  rerankerId: undefined,
  relevanceThreshold: undefined,
  chronologicalResort: true,
  llmId: undefined,
  llmTemp: 0.3,
  maxResults: 10,
  sysPrompt: undefined,
  prompt: undefined,
  genTokenBudget: undefined,
};

/**
 * Reads a post-processor config. What is unknown or does not fit is dropped with a status event, and its default counts:
 * a mistyped setting must not cost the caller the results.
 */
export function readChatConfig(config: JsonObject): { config: ChatConfig; statuses: RetrieveMemoryEvent[] } {
  const statuses: RetrieveMemoryEvent[] = [];
  const values: Partial<Record<keyof ChatConfig, unknown>> = {};
  for (const [key, value] of Object.entries(config)) {
    if (value === null) continue;
    const setting = Object.hasOwn(CHAT_SETTINGS, key) ? CHAT_SETTINGS[key] : undefined;
    const read = setting?.read(value) ?? { problem: unknownKey(key) };
    if ('problem' in read) {
      statuses.push(invalidSetting(key, read.problem));
    } else if (setting !== undefined) values[setting.field] = read.value;
  }
  return { config: { ...DEFAULTS, ...(values as Partial<ChatConfig>) }, statuses };
}

/** A setting that is dropped, so that its default counts. */
export function invalidSetting(param: string, reason: string): RetrieveMemoryEvent {
  return statusEvent('INVALID_ARGUMENT', `${param}: ${reason}`, { param, reason });
}

function unknownKey(key: string): string {
  const snake = key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return snake !== key && Object.hasOwn(CHAT_SETTINGS, snake) ? `unknown key; write ${snake}` : 'unknown key';
}

function uuid(value: JsonValue): ReturnType<Read> {
  return typeof value === 'string' && isUuid(value) ? { value: value.toLowerCase() } : { problem: 'must be a UUID' };
}

function text(value: JsonValue): ReturnType<Read> {
  return typeof value === 'string' ? { value } : { problem: 'must be a text' };
}

function boolean(value: JsonValue): ReturnType<Read> {
  if (typeof value === 'boolean') return { value };
  return value === 'true' || value === 'false' ? { value: value === 'true' } : { problem: 'must be true or false' };
}

const readNumber = scalarReader(ScalarType.DOUBLE);

/** A number or its decimal text, as everywhere in bodies. */
function asNumber(value: JsonValue): number {
  const number = readNumber(value);
  return typeof number === 'number' ? number : Number.NaN;
}

function numberIn(min: number, max: number): Read {
  return (given) => {
    const value = asNumber(given);
    if (!Number.isFinite(value)) return { problem: 'must be a number' };
    return value >= min && value <= max ? { value } : { problem: `must be between ${min} and ${max}` };
  };
}

function integerIn(min: number, max: number): Read {
  return (given) => {
    const value = asNumber(given);
    if (!Number.isInteger(value)) return { problem: 'must be a whole number' };
    return value >= min && value <= max ? { value } : { problem: `must be between ${min} and ${max}` };
  };
}
