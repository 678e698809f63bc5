import { create } from 'content-disposition';

/** In code points; percent-encoded they stay far below what clients take as a header. */
const MAX_LENGTH = 200;

/** Characters that reverse the direction of text, which can make one extension look like another. */
const DIRECTION_MARKS = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Tells a browser to save a document under its own name instead of showing it. The name is text of the user who
 * uploaded it: only its last path segment is used, so that it names no other directory, without invisible characters.
 */
export function contentDisposition(filename: string | undefined): string {
  const last = (filename ?? '').split(/[/\\]/).at(-1) ?? '';
  const visible = last.replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/gu, '').replace(DIRECTION_MARKS, '');
  // The end holds the extension.
  const name = [...visible.trim()].slice(-MAX_LENGTH).join('');
  return create(/^\.*$/.test(name) ? undefined : name);
}
