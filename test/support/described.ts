import { openApiDocument } from '../../src/server/openapi/document.ts';
import { schemaProblems } from './json-schema.ts';
import type { Json } from './wire.ts';

/** The API description of a build that has everything. */
export const DESCRIPTION: Json = JSON.parse(JSON.stringify(openApiDocument('1.0.0')));

/** What was answered to a request, as far as the description speaks of it. */
interface Described {
  method: string;
  /** As in the operations table, with parameters in braces. */
  path: string;
  status: number;
  /** Names of the response headers in lower case. */
  headers: ReadonlySet<string>;
  /** The parsed JSON body or event; left out where there is none. */
  body?: unknown;
}

/** Fails unless the description tells of such an answer: its status, its headers, its media type and every member. */
export function expectDescribed({ method, path, status, headers, body }: Described): void {
  const told = `${method} ${path} answered ${status}`;
  const operation = DESCRIPTION.paths[path]?.[method.toLowerCase()];
  const response = deref(operation?.responses[status]);
  if (response === undefined) throw new Error(`${told}, which its description does not know`);
  const required = Object.keys(response.headers ?? {}).filter((name) => !MAY_BE_ABSENT.has(name));
  const missing = required.filter((name) => !headers.has(name.toLowerCase()));
  if (missing.length > 0) throw new Error(`${told} without ${missing.join(', ')}`);
  if (body === undefined) return;
  const [content] = Object.values(response.content ?? {}) as Json[];
  if (content === undefined) throw new Error(`${told} with a body, which its description does not know`);
  const problems = schemaProblems(content.schema, body, DESCRIPTION);
  if (problems.length > 0) throw new Error(`${told} with something else than described: ${problems.join('; ')}`);
}

/** Headers that depend on settings or on what happened. */
const MAY_BE_ABSENT: ReadonlySet<string> = new Set([
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Retry-After',
]);

function deref(part: Json): Json {
  return part?.$ref === undefined ? part : DESCRIPTION.components.responses[part.$ref.split('/').at(-1)];
}
