import { isScoped } from '../../shared/identity.ts';
import type { Operation, RestRoute } from '../../shared/operations/operation.ts';
import { compileRoute } from '../../shared/operations/routes.ts';
import { OPERATIONS, type OperationKey } from '../../shared/operations/table.ts';
import { areaOf } from './areas.ts';
import type { Components } from './components.ts';
import { codesOf, errorResponses, hasBody } from './error-responses.ts';
import { EXAMPLES } from './examples.ts';
import { parametersOf } from './parameters.ts';
import { methodProse } from './prose.ts';
import { requestBody } from './request-body.ts';
import { contentParameters, successResponses } from './responses.ts';
import { curlSample } from './samples.ts';
import { type Part, pascalCase } from './schema.ts';
import { securityOf } from './security.ts';

export interface Sections {
  paths: Record<string, Record<string, Part>>;
  components: Components;
  /** Error responses that operations refer to, by name. */
  responses: Record<string, Part>;
}

/** Adds every route of the operations table. */
export function addOperations(sections: Sections): void {
  for (const key of Object.keys(OPERATIONS) as OperationKey[]) {
    const operation: Operation = OPERATIONS[key];
    for (const route of operation.rest) {
      const described = describe(key, route, sections);
      sections.paths[route.path] = { ...sections.paths[route.path], [route.method.toLowerCase()]: described };
    }
  }
}

function describe(key: OperationKey, route: RestRoute, { components, responses }: Sections): Part {
  const operation: Operation = OPERATIONS[key];
  const compiled = compileRoute(operation, route);
  const { summary, description } = methodProse(operation.rpc);
  const parameters = [...parametersOf(compiled, components), ...contentParameters(route)];
  const example = EXAMPLES[key];
  return {
    operationId: operationId(key, route),
    tags: [areaOf(operation.rpc)],
    summary,
    description: [description, permissionSentence(operation), operation.isLacking === true ? LACKING : '']
      .filter(Boolean)
      .join('\n\n'),
    ...securityOf(key, operation),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(hasBody(route) ? { requestBody: requestBody(compiled, components, example) } : {}),
    responses: {
      ...successResponses(compiled, components),
      ...errorResponses(codesOf(operation, route), responses),
    },
    'x-codeSamples': [curlSample(route, operation.auth, hasBody(route) ? example : undefined)],
  };
}

const LACKING = '**This build does not have the operation:** it answers 501 UNIMPLEMENTED.';

function permissionSentence({ permission }: Operation): string {
  if (permission === undefined) return '';
  if (!isScoped(permission)) return `Permission: \`${permission}\`.`;
  return `Permission: \`${permission}_OWN\` for one's own, \`${permission}_ANY\` for all.`;
}

/** The operation's own name; where it has several routes, with what tells the route from the others. */
function operationId(key: OperationKey, route: RestRoute): string {
  const routes: readonly RestRoute[] = OPERATIONS[key].rest;
  if (routes.length === 1) return key;
  const names = [...route.path.matchAll(/\{(\w+)\}/g)].map((match) => pascalCase(match[1] ?? ''));
  if (names.length > 0) return `${key}By${names.join('And')}`;
  if (routes.some((other) => other !== route && other.path === route.path)) {
    return hasBody(route) ? key : `${key}ByQuery`;
  }
  return `${key}${pascalCase(route.path.split('/').at(-1) ?? '')}`;
}
