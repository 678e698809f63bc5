import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import type { RetrieveMemoryEvent } from '../../../shared/gen/service/v1/memory_pb.ts';
import { Problem } from '../../../shared/json/problems.ts';
import { camelCase, snakeCase } from '../../../shared/name-cases.ts';
import {
  CHAT_SETTING_ENTRIES,
  CHAT_SETTINGS,
  type ChatConfig,
  type ChatSetting,
  type ChatSettingKey,
  readSetting,
  type SettingValue,
  settingRangeProblem,
} from '../../../shared/operations/chat-settings.ts';
import { statusEvent } from './events.ts';

/** Any name with this last segment selects the chat post processor. */
export const CHAT_NAME = 'ChatPostProcessorFactory';

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
    const read = isSetting(key) ? readInRange(CHAT_SETTINGS[key], value) : new Problem(unknownKey(key));
    if (read instanceof Problem) statuses.push(invalidSetting(key, read.text));
    else values[camelCase(key)] = read;
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

function readInRange(setting: ChatSetting, given: JsonValue): SettingValue | Problem {
  const value = readSetting(setting, given);
  const problem = value instanceof Problem ? undefined : settingRangeProblem(setting, value);
  return problem === undefined ? value : new Problem(problem);
}

function unknownKey(key: string): string {
  const snake = snakeCase(key);
  return snake !== key && isSetting(snake) ? `unknown key; write ${snake}` : 'unknown key';
}
