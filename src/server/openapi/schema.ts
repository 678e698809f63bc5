import type { JsonValue } from '@bufbuild/protobuf';

/** A JSON Schema (2020-12) as it stands in the document. */
export type Schema = { readonly [keyword: string]: JsonValue };

/** Any other object of the document. */
export type Part = { readonly [member: string]: JsonValue };

/**
 * Who writes the value: in a response the server writes all that it has, in a request the client may leave members out
 * and write numbers as decimal strings, and in a query everything is text.
 */
export type Direction = 'request' | 'response' | 'query';

export function refTo(section: string, name: string): { $ref: string } {
  return { $ref: `#/components/${section}/${name}` };
}

/** Without the members that are undefined. */
export function present(members: { readonly [name: string]: JsonValue | undefined }): Part {
  const entries = Object.entries(members).filter((entry): entry is [string, JsonValue] => entry[1] !== undefined);
  return Object.fromEntries(entries);
}
