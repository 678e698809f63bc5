import { invalidFields } from '../../../shared/errors.ts';

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
  const problem = problemOf(path);
  if (problem !== undefined) throw invalidFields([{ path: 'path', problem }]);
}

function problemOf(path: string): string | undefined {
  let decoded: string;
  try {
    decoded = decodeURIComponent(path);
  } catch {
    return 'has broken percent-encoding';
  }
  // What a server behind the target decodes once more must not become a way out either.
  const segments = decoded.replace(/%2e/gi, '.').split(/[/\\]|%2f|%5c/i);
  if (segments.some((segment) => /^\.{1,2}(;|$)/.test(segment))) return 'must not contain the segments . and ..';
  return /[#\s]/.test(path) ? 'must not contain # or white space' : undefined;
}
