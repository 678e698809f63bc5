import type { DescField } from '@bufbuild/protobuf';
import { SpaceKeySchema } from '../../shared/gen/service/v1/retrieve_pb.ts';
import { settingProse } from '../../shared/operations/chat-settings.ts';
import {
  RETRIEVE_QUERY_FIELDS,
  RETRIEVE_QUERY_SETTINGS,
  settingQueryNames,
} from '../../shared/operations/retrieve-query.ts';
import type { CompiledRoute } from '../../shared/operations/routes.ts';
import { settingSchema } from './chat-settings.ts';
import { sentences } from './components.ts';
import { rulesOf } from './field-rules.ts';
import { fieldProse } from './prose.ts';
import { type Part, present } from './schema.ts';
import { fieldSchema, type Named, unsaidRules } from './value-schema.ts';

/** The path and query parameters of a route. */
export function parametersOf({ route, bodyMessage, pathFields, queryFields }: CompiledRoute, named: Named): Part[] {
  const described = (names: readonly string[], place: 'path' | 'query') =>
    bodyMessage.fields.filter((field) => names.includes(field.jsonName)).map((field) => parameter(field, place, named));
  const path = described(pathFields, 'path');
  if (route.fromQuery === undefined) return [...path, ...described(queryFields, 'query')];
  return [...path, ...spaceParameters(), ...described(RETRIEVE_QUERY_FIELDS, 'query'), ...settingParameters()];
}

function parameter(field: DescField, place: 'path' | 'query', named: Named): Part {
  return present({
    name: field.jsonName,
    in: place,
    required: place === 'path' || rulesOf(field).required || undefined,
    description: sentences([fieldProse(field), ...unsaidRules(field)]) || undefined,
    schema: fieldSchema(field, 'query', named),
    ...STYLES[field.fieldKind],
  });
}

/** Lists are separated by commas, and a map has a parameter per key, as in `label[room]=cellar`. */
const STYLES: Partial<Record<DescField['fieldKind'], Part>> = {
  list: { style: 'form', explode: false },
  map: { style: 'deepObject', explode: true },
};

/** The query of a retrieval names spaces, not space keys, and has one filter for all of them. */
function spaceParameters(): Part[] {
  return [
    {
      name: 'spaceIds',
      in: 'query',
      required: true,
      description: 'The spaces to search, separated by commas.',
      schema: { type: 'array', items: { type: 'string', format: 'uuid' }, minItems: 1, maxItems: 100 },
      ...STYLES.list,
    },
    { name: 'filter', in: 'query', description: fieldProse(SpaceKeySchema.field.filter), schema: { type: 'string' } },
  ];
}

/** Each setting once, under its shortest name: the page that tries operations out fills in the defaults of all that it lists. */
function settingParameters(): Part[] {
  return RETRIEVE_QUERY_SETTINGS.map(([key, setting]) => {
    const others = settingQueryNames(key);
    const shortest = others.pop() ?? key;
    const also = others.map((other) => `\`${other}\``).join(', ');
    return {
      name: shortest,
      in: 'query',
      description: `${settingProse(setting)}. Also ${also}; the first of these counts.`,
      schema: settingSchema(setting),
    };
  });
}
