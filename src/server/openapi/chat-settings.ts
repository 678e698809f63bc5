import { CHAT_SETTING_ENTRIES, type ChatSetting, settingProse } from '../../shared/operations/chat-settings.ts';
import type { Part, Schema } from './schema.ts';

const SCHEMAS: Readonly<Record<ChatSetting['type'], Schema>> = {
  uuid: { type: 'string', format: 'uuid' },
  number: { type: 'number' },
  integer: { type: 'integer' },
  boolean: { type: 'boolean' },
  string: { type: 'string' },
};

/** The schema without bounds: nothing out of range is refused. */
export function settingSchema(setting: ChatSetting): Schema {
  return { ...SCHEMAS[setting.type], ...(setting.default === undefined ? {} : { default: setting.default }) };
}

/** The config of a post processor: these keys for the built-in one, any others for one's own. */
export const CHAT_CONFIG_SCHEMA: Schema = {
  type: 'object',
  properties: Object.fromEntries(
    CHAT_SETTING_ENTRIES.map(([key, setting]): [string, Part] => [
      key,
      { ...settingSchema(setting), description: `${settingProse(setting)}.` },
    ]),
  ),
  additionalProperties: true,
};
