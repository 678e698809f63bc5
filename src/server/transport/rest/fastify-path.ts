/** `{id}` becomes `:id`, with a pattern where a colon follows; a literal colon is written `::`. */
export function fastifyPath(path: string): string {
  return path
    .replaceAll(':', '::')
    .replace(/\{(\w+)\}(?=::)/g, ':$1([^/:]+)')
    .replace(/\{(\w+)\}/g, ':$1');
}
