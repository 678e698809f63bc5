const ESCAPES: Readonly<Record<string, string>> = { "'": "''", '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** A text as a filter writes it: `'it''s'`. */
export function filterLiteral(text: string): string {
  return `'${text.replace(/['\\\n\r\t]/g, (character) => ESCAPES[character] ?? character)}'`;
}
