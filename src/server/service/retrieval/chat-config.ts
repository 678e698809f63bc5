import { type JsonObject, type JsonValue, ScalarType } from '@bufbuild/protobuf';
import { isUuid } from '../../../shared/fields/formats.ts';
import type { RetrieveMemoryEvent } from '../../../shared/gen/service/v1/memory_pb.ts';
import { scalarReader } from '../../../shared/json/scalars.ts';
import { camelCase, snakeCase } from '../../../shared/name-cases.ts';
import {
  CHAT_SETTING_ENTRIES,
  CHAT_SETTINGS,
  type ChatConfig,
  type ChatSetting,
  type ChatSettingKey,
} from '../../../shared/operations/chat-settings.ts';
import { statusEvent } from './events.ts';

/** Any name with this last segment selects the chat post processor. */
export const CHAT_NAME = 'ChatPostProcessorFactory';

type Read = (value: JsonValue) => { value: string | number | boolean } | { problem: string };

/** The values of settings that a config leaves out. */
const DEFAULTS = Object.fromEntries(
  CHAT_SETTING_ENTRIES.map(([key, setting]) => [camelCase(key), setting.default]),
) as ChatConfig;

/**
 * Reads a post-processor config. Unknown keys and invalid values are dropped with a status event and replaced by their
 * defaults, so that a mistyped setting does not prevent the results.
 */
export function readChatConfig(config: JsonObject): { config: ChatConfig; statuses: RetrieveMemoryEvent[] } {
  const statuses: RetrieveMemoryEvent[] = [];
  const values: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(config)) {
    if (value === null) continue;
    const read = isSetting(key) ? readerOf(CHAT_SETTINGS[key])(value) : { problem: unknownKey(key) };
    if ('problem' in read) statuses.push(invalidSetting(key, read.problem));
    else values[camelCase(key)] = read.value;
  }
  return { config: { ...DEFAULTS, ...values }, statuses };
}

/** The status of a setting that is dropped in favor of its default. */
export function invalidSetting(param: string, reason: string): RetrieveMemoryEvent {
  return statusEvent('INVALID_ARGUMENT', `${param}: ${reason}`, { param, reason });
}

function isSetting(key: string): key is ChatSettingKey {
  return Object.hasOwn(CHAT_SETTINGS, key);
}

function readerOf({ type, min = -Infinity, max = Infinity }: ChatSetting): Read {
  switch (type) {
    case 'uuid':
      return uuid;
    case 'string':
      return text;
    case 'boolean':
      return boolean;
    case 'number':
      return numberIn(min, max);
    case 'integer':
      return integerIn(min, max);
  }
}

function unknownKey(key: string): string {
  const snake = snakeCase(key);
  return snake !== key && isSetting(snake) ? `unknown key; write ${snake}` : 'unknown key';
}

function uuid(value: JsonValue): ReturnType<Read> {
  return typeof value === 'string' && isUuid(value) ? { value: value.toLowerCase() } : { problem: 'must be a UUID' };
}

function text(value: JsonValue): ReturnType<Read> {
  return typeof value === 'string' ? { value } : { problem: 'must be a string' };
}

function boolean(value: JsonValue): ReturnType<Read> {
  if (typeof value === 'boolean') return { value };
  return value === 'true' || value === 'false' ? { value: value === 'true' } : { problem: 'must be true or false' };
}

const readNumber = scalarReader(ScalarType.DOUBLE);

/** A number or a decimal string, as everywhere in request bodies. */
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
