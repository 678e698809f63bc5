/**
 * What is wrong with a path, without its query, that is to stay below a target's address; undefined when it does:
 * `.` and `..` lead out, however they are written.
 */
export function insidePathProblem(path: string): string | undefined {
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
