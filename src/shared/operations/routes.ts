import type { RestRoute } from './operation.ts';

/** The forms that nearly every REST route has: created, got, posted, put or deleted. */
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
