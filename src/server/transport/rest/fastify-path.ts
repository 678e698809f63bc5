/** `{id}` becomes `:id`, which needs telling where it ends before a colon; a literal colon is written with two. */
export function fastifyPath(path: string): string {
  return path
    .replaceAll(':', '::')
    .replace(/\{(\w+)\}(?=::)/g, ':$1([^/:]+)')
    .replace(/\{(\w+)\}/g, ':$1');
}
