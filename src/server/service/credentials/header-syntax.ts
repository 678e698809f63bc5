/** Headers that the HTTP client or the protocol sets; a credential there would break or redirect the call. */
const RESERVED = new Set([
  'accept',
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** What is wrong with the name of a credential's header; undefined when it can be sent. */
export function headerNameProblem(name: string): string | undefined {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,255}$/.test(name)) return 'not a header name';
  return RESERVED.has(name.toLowerCase()) ? 'is set by the server itself' : undefined;
}

/** What is wrong with a text as part of a header's value: anything that could end the line or change on the way. */
export function headerValueProblem(value: string): string | undefined {
  return /^[\x20-\x7e]*$/.test(value) ? undefined : 'must contain only visible ASCII characters and spaces';
}
