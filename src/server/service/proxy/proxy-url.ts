import { invalidFields } from '../../../shared/errors.ts';
import { insidePathProblem } from '../targets/inside-path.ts';

/** Where a proxied call goes below a target's address, as the caller wrote it. */
export interface ProxyPath {
  path: string;
  /** Without its question mark; "" when there is none. */
  query: string;
}

/** Reads path and query. Throws INVALID_ARGUMENT for a path that could lead out of the target's address. */
export function proxyPath(rest: string): ProxyPath {
  const mark = rest.indexOf('?');
  const path = mark === -1 ? rest : rest.slice(0, mark);
  const problem = insidePathProblem(path);
  if (problem !== undefined) throw invalidFields([{ path: 'path', problem }]);
  return { path, query: mark === -1 ? '' : rest.slice(mark + 1) };
}

/** The address that a proxied call goes to: path and query behind the target's own address. */
export function proxyUrl(endpointUrl: string, { path, query }: ProxyPath): string {
  const base = new URL(endpointUrl);
  const queries = [base.search.slice(1), query].filter((part) => part !== '');
  const folder = base.pathname.endsWith('/') ? base.pathname : `${base.pathname}/`;
  return `${base.origin}${folder}${path}${queries.length === 0 ? '' : `?${queries.join('&')}`}`;
}
