import type { RestRoute } from './operation.ts';

/**
 * Of the request line and the headers, in bytes. A retrieval by GET has to fit: a message and a filter of 10,000 code points
 * each, which take up to 12 bytes percent-encoded, beside a hundred space ids and the headers.
 */
export const MAX_HEAD_BYTES = 2 * 10_000 * 12 + 32 * 1024;

/** The forms of nearly every REST route: created, got, posted, put or deleted. */
export const created = (path: string, location: string, more: Partial<RestRoute> = {}): RestRoute => ({
  method: 'POST',
  path,
  success: 201,
  response: 'message',
  location,
  ...more,
});
export const got = (path: string, more: Partial<RestRoute> = {}): RestRoute => ({
  method: 'GET',
  path,
  success: 200,
  response: 'message',
  ...more,
});
export const posted = (path: string, more: Partial<RestRoute> = {}): RestRoute => ({
  ...got(path, more),
  method: 'POST',
});
export const put = (path: string): RestRoute => ({ method: 'PUT', path, success: 200, response: 'message' });
export const deleted = (path: string): RestRoute => ({ method: 'DELETE', path, success: 204, response: 'none' });
