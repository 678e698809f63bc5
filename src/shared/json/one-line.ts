/** What some readers of lines take for the end of one, Python's `splitlines` above all. JSON lets them stand in strings. */
const LINE_SEPARATORS = /[\u0085\u2028\u2029]/g;

/** JSON text without line breaks, so that no reader finds one in it either. */
export function onOneLine(json: string): string {
  return json.replace(LINE_SEPARATORS, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
