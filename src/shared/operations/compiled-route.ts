import type { DescMessage } from '@bufbuild/protobuf';
import type { Operation, RestRoute } from './operation.ts';

/** A route with what is worth working out once. */
export interface CompiledRoute {
  operation: Operation;
  route: RestRoute;
  /** Fields of the path, as they stand in it. */
  pathFields: readonly string[];
  queryFields: readonly string[];
  /** What the body describes: the request itself or, for a stream of client messages, its first one. */
  bodyMessage: DescMessage;
}

export function compileRoute(operation: Operation, route: RestRoute): CompiledRoute {
  const pathFields = [...route.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
  const { input } = operation.rpc;
  const inPath = input.fields.filter((field) => pathFields.includes(field.jsonName));
  // What the path has chosen of several members, no query may choose otherwise.
  const chosen = inPath.flatMap((field) => field.oneof?.fields ?? [field]);
  const own = input.fields.filter((field) => !chosen.includes(field)).map((field) => field.jsonName);
  const wrapped = input.fields.find((field) => field.localName === route.bodyField)?.message;
  return {
    operation,
    route,
    pathFields,
    queryFields: route.query ?? (route.method === 'GET' ? own : []),
    bodyMessage: wrapped ?? input,
  };
}
