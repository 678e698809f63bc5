import { create, type JsonObject } from '@bufbuild/protobuf';
import { invalidFields, type Violation } from '../errors.ts';
import { type RetrieveMemoryRequest, RetrieveMemoryRequestSchema } from '../gen/service/v1/memory_pb.ts';
import { PostProcessorSchema, SpaceKeySchema } from '../gen/service/v1/retrieve_pb.ts';
import { Problem } from '../json/problems.ts';
import { decodeQuery, readQueryBoolean, valuesOf } from '../json/query.ts';
import { pascalCase } from '../name-cases.ts';
import { CHAT_SETTING_ENTRIES, type ChatSettingKey, readSetting } from './chat-settings.ts';

/** Fields of the request that a query may give by their own names. */
export const RETRIEVE_QUERY_FIELDS = [
  'message',
  'requestedSize',
  'fetchMemory',
  'fetchMemoryContent',
  'explain',
] as const;

/** The settings of the chat post processor that a query may give. */
export const RETRIEVE_QUERY_SETTINGS = CHAT_SETTING_ENTRIES.filter(([, { inQuery }]) => inQuery);

/**
 * A retrieval as a query: one filter for every space, and always the chat post processor. A value that is no number,
 * boolean or UUID is INVALID_ARGUMENT; a number out of range is judged by the post processor, as in a body.
 */
export function retrieveFromQuery(params: URLSearchParams): RetrieveMemoryRequest {
  const request = decodeQuery(RetrieveMemoryRequestSchema, params, { fields: RETRIEVE_QUERY_FIELDS });
  const filter = params.getAll('filter').at(-1);
  const ids = valuesOf(params, ['spaceIds', 'space_ids'])?.values.flatMap((value) => value.split(',')) ?? [];
  const spaceKeys = ids.map((id) => id.trim()).filter((id) => id !== '');
  request.spaceKeys = spaceKeys.map((spaceId) =>
    create(SpaceKeySchema, { spaceId, ...(filter === undefined ? {} : { filter }) }),
  );
  request.postProcessor = create(PostProcessorSchema, { config: settingsFrom(params) });
  return request;
}

/** What a query calls a member of the request. */
export function retrieveQueryName(path: string): string {
  return path
    .replace(/^spaceKeys(\[\d+\])?(?:\.spaceId)?$/, 'spaceIds$1')
    .replace(/^spaceKeys\[\d+\]\.filter$/, 'filter');
}

function settingsFrom(params: URLSearchParams): JsonObject {
  const config: JsonObject = {};
  const violations: Violation[] = [];
  for (const [key, setting] of RETRIEVE_QUERY_SETTINGS) {
    const found = valuesOf(params, settingQueryNames(key));
    if (found === undefined) continue;
    const text = found.values.at(-1) ?? '';
    const value = setting.type === 'boolean' ? readQueryBoolean(text) : readSetting(setting, text);
    if (value instanceof Problem) violations.push(value.at(found.name));
    else config[key] = value;
  }
  if (violations.length > 0) throw invalidFields(violations);
  return config;
}

/** Every query name of a setting, best first: long camelCase, short camelCase, long and short snake_case. */
export function settingQueryNames(key: ChatSettingKey): string[] {
  const name = pascalCase(key);
  return [`postProcessor${name}`, `pp${name}`, `post_processor_${key}`, `pp_${key}`];
}
