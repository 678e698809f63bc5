export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Of one connection, not of the message. */
const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];
/** What proves who the caller is to this server is nobody else's business. */
const OURS_ALONE = [
  'x-api-key',
  'authorization',
  'cookie',
  'x-service-init-token',
  'x-service-metrics-key',
  'host',
  'expect',
];
/** Would speak for this server to a browser, or are set by it anyway. */
const NOT_PASSED_BACK = ['set-cookie', 'alt-svc', 'clear-site-data', 'strict-transport-security'];
const SET_HERE =
  /^(access-control-|x-ratelimit-|x-request-id$|x-service-|content-security-policy|x-content-type-options$)/;

/** The headers of a request as they go on, with those of the stored credential in place of the caller's. */
export function requestHeaders(
  given: Headers,
  credential: Readonly<Record<string, string>>,
): Record<string, string | string[]> {
  const dropped = new Set([...OURS_ALONE, ...Object.keys(credential).map((name) => name.toLowerCase())]);
  return { ...passedOn(given, (name) => !dropped.has(name)), ...credential };
}

/** The headers of an answer as they come back. */
export function answerHeaders(given: Headers): Record<string, string | string[]> {
  return passedOn(given, (name) => !NOT_PASSED_BACK.includes(name) && !SET_HERE.test(name));
}

function passedOn(given: Headers, isWanted: (name: string) => boolean): Record<string, string | string[]> {
  const named = String(given.connection ?? '').toLowerCase();
  const dropped = new Set([...HOP_BY_HOP, ...named.split(',').map((name) => name.trim())]);
  const kept = Object.entries(given).flatMap(([name, value]) =>
    value === undefined || dropped.has(name) || !isWanted(name) ? [] : [[name, value] as const],
  );
  return Object.fromEntries(kept);
}
