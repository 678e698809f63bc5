import { type Chapter, planned, shown } from '../line.ts';

const SETTINGS = 'unit/server/settings/load.test.ts';
const DEFAULTS = `${SETTINGS}: are those of the documentation` as const;

export const LIMITS: Chapter = {
  title: 'Limits and configuration',
  lines: [
    shown(
      'Requests are limited per API key',
      'contract/rate-limits.test.ts: the limit of the flags holds for a key, on both wires together',
      'unit/server/service/rate-limit/rate-limiter.test.ts: a window takes as many requests as its limit and says where the caller stands',
    ),
    shown(
      'X-RateLimit-Limit, -Remaining and -Reset on responses',
      'unit/server/transport/rate-limits.test.ts: every answer says where the key stands, whatever it answers',
      'unit/server/transport/rate-limits.test.ts: what has no route, or no server yet, says where the address stands and counts for nobody',
    ),
    shown(
      'The probe count of a ping is clamped, with a notice and in the summary',
      'contract/targets/ping.scenarios.ts: stream: what is too much is clamped, and said first',
    ),
    shown(
      'A retrieval by GET takes a message and a filter of 10,000 code points each',
      'unit/server/transport/rest/headers.test.ts: a retrieval by GET may be as long as its limits promise, and what is longer is told the limit',
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
      'unit/server/service/retrieval/chat-config.test.ts: nothing given leaves the defaults',
      'unit/server/service/retrieval/chat-config.test.ts: %s: %j',
      'store/retrieval/chat.test.ts: the built-in prompts hold the question, the conversation and the data',
    ),
    shown(
      '--provider-allowed-networks: where the targets of users may be, beside public addresses',
      'contract/targets/user-targets.test.ts: cannot be at %s, whoever registers it',
      'contract/targets/user-targets.test.ts: can be at public addresses, in allowed networks and behind names, and cannot be moved away from there',
      'contract/targets/user-targets.test.ts: of an administrator can be anywhere',
      'contract/targets/user-targets.test.ts: a demoted one is refused wherever the call comes from, and nothing is sent',
      'unit/server/providers/addresses.test.ts: addresses that are %s are not public',
      'unit/server/providers/addresses.test.ts: for a user is refused where it would leave the public addresses, by name and by number',
      'unit/server/settings/values.test.ts: check networks',
    ),
    shown(
      'A filter costs at most 300 steps a memory, and a search ends after ten seconds',
      'unit/server/service/filter/parse-filter.test.ts: what it costs a memory: %.50s…',
      'unit/server/service/filter/parse-filter.test.ts: what is the same for every memory costs nothing',
      'store/retrieval/exact.test.ts: is ten seconds unless told, for all spaces together',
      'store/retrieval/exact.test.ts: is up for every space that has not been searched by then',
      'unit/server/service/filter/parse-filter.test.ts: 300 steps are the most: one more is refused',
      'store/memories/search-time.test.ts: a list whose filter takes too long says so',
      'store/memories/search-time.test.ts: so does a deletion, and deletes nothing',
      'store/retrieval/exact.test.ts: ends a search that the database holds up; others are served',
    ),
    planned('Pages are rendered at 200 DPI', 'documents and OCR'),
    shown('Flags beat variables, variables beat defaults', `${SETTINGS}: rank flag, variable, default`),
    shown(
      '--rest-port, --grpc-port',
      DEFAULTS,
      'process/serve/config.test.ts: a taken port of %s is said in a sentence; exit 78',
    ),
    shown(
      '--grpc-max-message-size-mb bounds a message',
      DEFAULTS,
      'wires/grpc/grpc.test.ts: a message over the limit is RESOURCE_EXHAUSTED and harms nobody',
      'unit/server/transport/grpc/intake.test.ts: every refusal of a message carries what all errors carry',
    ),
    shown(
      'Nothing of a body is taken in before its key is checked',
      'unit/server/transport/grpc/intake.test.ts: the key comes before the message, of which nothing needs to arrive',
      'process/serve/request-memory.test.ts: without a key nothing is unpacked',
    ),
    shown(
      '--request-memory-mb bounds what the bodies of all requests take in memory, on both wires',
      DEFAULTS,
      'unit/server/transport/grpc/intake.test.ts: large messages and bodies share one budget, and small ones need none',
      'process/serve/request-memory.test.ts: with a key all that is unpacked stays within the budget and goes back',
    ),
    shown(
      'The bodies of one user take at most half of the memory that others leave, and one alone three quarters of all',
      'unit/server/transport/grpc/intake.test.ts: those of one user, under whatever key, leave room for those of others',
      'unit/server/transport/grpc/intake.test.ts: one request alone leaves room for those of others, however small the budget',
      'unit/server/transport/grpc/intake.test.ts: what a user may take is half of what others leave',
    ),
    shown(
      'A body or message that stops coming is refused, and what large ones have taken is given back',
      'unit/server/transport/rest/body-progress.test.ts: a body that stops coming is refused and its connection ends: %s',
      'unit/server/transport/rest/body-progress.test.ts: a body that keeps coming may take many periods',
      'unit/server/transport/grpc/intake.test.ts: a message that stops coming is refused, and gives its memory back',
      'unit/server/transport/grpc/intake.test.ts: the more memory a message keeps, the sooner it has to fill it',
      'unit/server/transport/rest/body-progress.test.ts: a body for which memory is kept has to fill it sooner',
      'unit/server/reclaim.test.ts: memory is collected once large requests are over, and not while they keep coming',
    ),
    shown(
      'JSON and messages that would grow in parsing are refused before they are parsed',
      'unit/shared/json/parse.test.ts: %s are refused by their number',
      'unit/shared/binary.test.ts: too many are refused before they are read: %s',
      'unit/shared/binary.test.ts: the bytes are looked at once, whatever they are: %s',
      'unit/shared/binary.test.ts: what would be read otherwise than it was counted is refused: %s',
      'process/serve/request-memory.test.ts: JSON that would grow in parsing is refused before',
    ),
    shown(
      '--db-url: a JDBC URL, required without the embedded database',
      'unit/server/settings/database-url.test.ts: reads a JDBC URL with separate credentials',
      `${SETTINGS}: is required without --embedded`,
    ),
    shown(
      '--db-user and --db-password are required unless the URL holds them, and win over it',
      `${SETTINGS}: is required without --embedded`,
      `${SETTINGS}: may carry user and password in %s`,
      'unit/server/settings/database-url.test.ts: takes user and password from the URL only where none is given',
    ),
    shown(
      'In FIPS mode the database password has at least 14 characters',
      'unit/server/settings/tls.test.ts: wants 14 characters in the database password, wherever it stands',
    ),
    shown(
      '--db-min-idle and --background-db-min-idle connections are open when the server is ready',
      DEFAULTS,
      'faults/database-start.test.ts: the minimum of idle connections is open at READY',
    ),
    shown(
      '--db-max-pool and --background-db-max-pool bound the connections',
      `${SETTINGS}: keeps no more connections idle than the pool holds`,
      'faults/database-start.test.ts: there are never more connections than both pools may have, however much there is to do',
      'store/database/executor.test.ts: waiting for a connection ends with the signal, in turn, or after its bound',
    ),
    shown(
      '--license-dir',
      DEFAULTS,
      'unit/server/service/license/license.test.ts: the last name in order counts, hidden files and other names do not',
      'process/serve/license.test.ts: a reload puts the limit of the file in force and counts anew, flags beat the file',
    ),
    shown('--metrics-scrape-secret', DEFAULTS, 'unit/server/transport/rest/metrics.test.ts: is set by %s'),
    shown(
      '--ocr-base-url, switched off by an empty value',
      DEFAULTS,
      `${SETTINGS}: switch OCR off with an empty value of either`,
    ),
    planned(
      '--ocr-render-engine, --page-render-parallelism, --ocr-recognition-parallelism, --ocr-buffered-pages take effect',
      'documents and OCR',
    ),
  ],
};
