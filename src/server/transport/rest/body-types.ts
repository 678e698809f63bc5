import { OPERATIONS } from '../../../shared/operations/table.ts';
import { fastifyPath } from './fastify-path.ts';

const UPLOADS: ReadonlySet<string> = new Set(
  Object.values(OPERATIONS).flatMap(({ rest }) =>
    rest.filter(({ multipartField }) => multipartField !== undefined).map(({ path }) => fastifyPath(path)),
  ),
);

/** The content types that a body of the route may have, as words for an error. */
export function bodyTypes(routeUrl: string | undefined): string {
  return UPLOADS.has(routeUrl ?? '') ? 'application/json or multipart/form-data' : 'application/json';
}
