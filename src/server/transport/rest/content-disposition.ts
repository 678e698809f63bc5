import { create } from 'content-disposition';

/** In code points; percent-encoded they stay far below what clients take as a header. */
const MAX_LENGTH = 200;

/** Marks that turn the direction of text and so can make one extension look like another. */
const DIRECTION_MARKS = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Tells a browser to save a document instead of showing it, under its own name. The name is somebody's free text: only its
 * last segment counts, so that it leads into no other directory, and nothing in it that cannot be seen.
 */
export function contentDisposition(filename: string | undefined): string {
  const last = (filename ?? '').split(/[/\\]/).at(-1) ?? '';
  const visible = last.replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/gu, '').replace(DIRECTION_MARKS, '');
  // The end holds the extension.
  const name = [...visible.trim()].slice(-MAX_LENGTH).join('');
  return create(/^\.*$/.test(name) ? undefined : name);
}
