import { invalidFields } from '../../../shared/errors.ts';
import { insidePathProblem } from '../targets/inside-path.ts';

/**
 * The address that a proxied call goes to: the path and query as the caller wrote them, behind the target's own
 * address. Throws INVALID_ARGUMENT for a path that could lead out of it: `.` and `..`, however they are written.
 */
export function proxyUrl(endpointUrl: string, rest: string): string {
  const mark = rest.indexOf('?');
  const path = mark === -1 ? rest : rest.slice(0, mark);
  requireInside(path);
  const base = new URL(endpointUrl);
  const queries = [base.search.slice(1), mark === -1 ? '' : rest.slice(mark + 1)].filter((query) => query !== '');
  const folder = base.pathname.endsWith('/') ? base.pathname : `${base.pathname}/`;
  return `${base.origin}${folder}${path}${queries.length === 0 ? '' : `?${queries.join('&')}`}`;
}

function requireInside(path: string): void {
  const problem = insidePathProblem(path);
  if (problem !== undefined) throw invalidFields([{ path: 'path', problem }]);
}
