import { type Chapter, planned, shown } from '../line.ts';

const SETTINGS = 'unit/server/settings/load.test.ts';
const DEFAULTS = `${SETTINGS}: are those of the documentation` as const;

export const LIMITS: Chapter = {
  title: 'Limits and configuration',
  lines: [
    shown(
      'Requests are limited per API key',
      'contract/rate-limits.test.ts: the limit of the flags applies to a key, on both wires together',
      'unit/server/service/rate-limit/rate-limiter.test.ts: a window admits its limit of requests and reports the remaining ones',
    ),
    shown(
      'X-RateLimit-Limit, -Remaining and -Reset on responses',
      'unit/server/transport/calls/rate-limits.test.ts: every response has the rate limit headers of the key, whatever its status',
      'unit/server/transport/calls/rate-limits.test.ts: unknown routes and a starting server send the headers of the address and count nothing',
    ),
    shown(
      'The probe count of a ping is clamped, with a notice and in the summary',
      'contract/targets/ping.scenarios.ts: stream: excessive values are clamped, with a notice first',
    ),
    shown(
      'A retrieval by GET takes a message and a filter of 10,000 code points each',
      'unit/server/transport/rest/rest.test.ts: a retrieval by GET may have its documented length, and a longer one is refused with the limit',
    ),
    shown(
      'A REST body has a maximum size',
      'wires/rest/bodies.test.ts: a body beyond the limit is refused, with and without its length, after the key',
    ),
    shown(
      'A space name has 1 to 255 characters',
      'contract/spaces/spaces.scenarios.ts: a name has 1 to 255 code points, however many UTF-16 units those are',
    ),
    shown(
      'llm_temp 0.0 to 2.0, max_results and gen_token_budget positive, with their defaults',
      'unit/server/service/retrieval/chat-config.test.ts: an empty config has the defaults',
      'unit/server/service/retrieval/chat-config.test.ts: %s: %j',
      'store/retrieval/chat.test.ts: the built-in prompts hold the question, the conversation and the data',
    ),
    shown(
      '--provider-allowed-networks: where the targets of users may be, beside public addresses',
      'contract/targets/user-targets.test.ts: cannot be at %s, for any caller',
      'contract/targets/user-targets.test.ts: can be at public addresses, in allowed networks and behind names, and cannot be updated to any other address',
      'contract/targets/user-targets.test.ts: of an administrator can be anywhere',
      'contract/targets/user-targets.test.ts: a target of a demoted administrator is refused on every path, and nothing is sent',
      'unit/server/providers/addresses.test.ts: addresses that are %s are not public',
      'unit/server/providers/addresses.test.ts: for a user is refused outside the public addresses, by name and by address',
      'unit/server/settings/value-type.test.ts: check networks',
    ),
    shown(
      'A filter costs at most 300 steps a memory, and a search ends after ten seconds',
      'unit/server/service/filter/parse-filter.test.ts: the cost of a memory: %.50s…',
      'unit/server/service/filter/parse-filter.test.ts: constant expressions cost nothing',
      'store/retrieval/exact.test.ts: is ten seconds by default, for all spaces together',
      'store/retrieval/exact.test.ts: ends every space that has not been searched by then',
      'unit/server/service/filter/parse-filter.test.ts: 300 steps are the most: one more is refused',
      'store/memories/search-time.test.ts: a list whose filter times out says so',
      'store/memories/search-time.test.ts: so does a deletion, and deletes nothing',
      'store/retrieval/exact.test.ts: ends a search that is blocked in the database; others are served',
    ),
    planned('Pages are rendered at 200 DPI', 'documents and OCR'),
    shown('Flags override variables, variables override defaults', `${SETTINGS}: rank flag, variable, default`),
    shown(
      '--rest-port, --grpc-port',
      DEFAULTS,
      'process/serve/config.test.ts: a port of %s that is in use is reported in a sentence; exit 78',
    ),
    shown(
      '--grpc-max-message-size-mb bounds a message',
      DEFAULTS,
      'wires/grpc/grpc.test.ts: a message over the limit is RESOURCE_EXHAUSTED, and other calls go on',
      'unit/server/transport/grpc/intake.test.ts: every refusal of a message has code, details and trailing metadata',
    ),
    shown(
      'No body is read before its key is checked',
      'unit/server/transport/grpc/intake.test.ts: the key is checked before any byte of the message',
      'process/serve/request-memory.test.ts: without a key no body is decompressed',
    ),
    shown(
      '--request-memory-mb bounds the memory of all request bodies, on both wires',
      DEFAULTS,
      'unit/server/transport/grpc/intake.test.ts: large messages and bodies share one budget, and small ones need none',
      'process/serve/request-memory.test.ts: with a key decompressed bodies stay within the budget and release it',
    ),
    shown(
      'The bodies of one user take at most half of the remaining memory, and one body three quarters of all',
      'unit/server/transport/grpc/intake.test.ts: messages of one user, under any key, leave budget for other users',
      'unit/server/transport/grpc/intake.test.ts: a single request leaves budget for other users, however small the budget',
      'unit/server/transport/grpc/intake.test.ts: a user may take half of the budget that others leave',
    ),
    shown(
      'A stalled body or message times out, and its memory is released',
      'unit/server/transport/rest/body.test.ts: a stalled request body times out and its connection closes: %s',
      'unit/server/transport/rest/body.test.ts: a progressing body may take many periods',
      'unit/server/transport/grpc/intake.test.ts: a stalled message times out and releases its memory',
      'unit/server/transport/grpc/intake.test.ts: the required rate of a message grows with its reserved memory',
      'unit/server/transport/rest/body.test.ts: a body with reserved memory has to arrive sooner',
      'unit/server/reclaim.test.ts: memory is collected once large requests have ended, and not while they continue',
    ),
    shown(
      'JSON and messages that would grow in parsing are refused before they are parsed',
      'unit/shared/json/parse.test.ts: %s are refused by their number',
      'unit/shared/binary.test.ts: too many elements are refused before decoding: %s',
      'unit/shared/binary.test.ts: the bytes are scanned once, whatever they are: %s',
      'unit/shared/binary.test.ts: bytes that the decoder would read differently are refused: %s',
      'process/serve/request-memory.test.ts: JSON that would grow in parsing is refused before it is parsed',
    ),
    shown(
      '--db-url: a JDBC URL, required without the embedded database',
      'unit/server/settings/database-url.test.ts: reads a JDBC URL with separate credentials',
      `${SETTINGS}: is required without --embedded`,
    ),
    shown(
      '--db-user and --db-password are required unless the URL holds them, and override it',
      `${SETTINGS}: is required without --embedded`,
      `${SETTINGS}: may carry user and password in %s`,
      'unit/server/settings/database-url.test.ts: takes user and password from the URL only where none is given',
    ),
    shown(
      'In FIPS mode the database password has at least 14 characters',
      'unit/server/settings/tls-rules.test.ts: requires 14 characters in the database password, from every source',
    ),
    shown(
      '--db-min-idle and --background-db-min-idle connections are open when the server is ready',
      DEFAULTS,
      'faults/database-start.test.ts: the minimum of idle connections is open at READY',
    ),
    shown(
      '--db-max-pool and --background-db-max-pool bound the connections',
      `${SETTINGS}: keeps no more connections idle than the pool holds`,
      'faults/database-start.test.ts: connections never exceed the size of both pools under load',
      'store/database/executor.test.ts: waiting for a connection ends with the signal, in order, or at its timeout',
    ),
    shown(
      '--license-dir',
      DEFAULTS,
      'unit/server/service/license/license.test.ts: the last name in order is used, hidden files and other names are ignored',
      'process/serve/license.test.ts: a reload applies the limit of the file and restarts the counters; flags override the file',
    ),
    shown('--metrics-scrape-secret', DEFAULTS, 'unit/server/transport/rest/operational.test.ts: is set by %s'),
    shown(
      '--ocr-base-url, turned off by an empty value',
      DEFAULTS,
      `${SETTINGS}: turn OCR off with an empty value of either`,
    ),
    planned(
      '--ocr-render-engine, --page-render-parallelism, --ocr-recognition-parallelism, --ocr-buffered-pages take effect',
      'documents and OCR',
    ),
  ],
};
