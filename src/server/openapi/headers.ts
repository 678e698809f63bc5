import { type Part, refTo } from './schema.ts';

const text = (description: string): Part => ({ description, schema: { type: 'string' } });
const count = (description: string): Part => ({ description, schema: { type: 'integer', minimum: 0 } });

/** Every response header of the document. */
export const HEADERS = {
  'X-Request-Id': text("The request's own id if it sent one of at most 128 visible ASCII characters, else a new one."),
  'X-Service-Version': text('The version of the server.'),
  'X-RateLimit-Limit': count('Requests that a window allows. Left out while there is no limit, as the next two are.'),
  'X-RateLimit-Remaining': count('Requests left in this window.'),
  'X-RateLimit-Reset': count('When the next window begins, in Unix seconds.'),
  'Retry-After': count('Seconds after which a repeat may succeed.'),
  'WWW-Authenticate': text(
    'The credential that is needed: `Bearer realm="svc"`, or the name of the header that takes the secret.',
  ),
  'Content-Disposition': text('`attachment`, with `metadata.filename` if there is one.'),
  Location: { description: 'The path of the new resource.', schema: { type: 'string', format: 'uri-reference' } },
  ETag: text('The SHA-256 of the content, in quotes.'),
  'Accept-Ranges': text('`bytes`.'),
  'Content-Range': text('Which bytes of how many these are: `bytes 0-99/1234`.'),
} as const satisfies Readonly<Record<string, Part>>;

export type HeaderName = keyof typeof HEADERS;

/** On every response. */
export const COMMON_HEADERS: readonly HeaderName[] = ['X-Request-Id', 'X-Service-Version'];
/** On every response below `/v1`, while there is a limit. */
export const RATE_LIMIT_HEADERS: readonly HeaderName[] = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
];

export function headers(names: readonly HeaderName[]): Part {
  return Object.fromEntries(names.map((name) => [name, refTo('headers', name)]));
}
