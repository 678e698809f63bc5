import { type Chapter, shown } from '../line.ts';

const HTTP = 'wires/rest/http.test.ts';
const BODIES = 'wires/rest/bodies.test.ts';
const MATRIX = 'contract/permissions/permissions.test.ts: operations by caller, over %s';

export const ERRORS: Chapter = {
  title: 'Errors',
  lines: [
    shown(
      'Before the first event an error is a normal response',
      'wires/rest/streams.test.ts: an error before the first event is a normal response, whatever the Accept header says',
      'contract/retrieval/retrieval.scenarios.ts: bad requests are refused before any event',
    ),
    shown(
      'After it the connection closes without an error event',
      'unit/server/transport/rest/stream.test.ts: a stream that fails has sent the events before, and has no end',
      'faults/lifecycle-drain.test.ts: calls that outlast the grace period are aborted',
      'unit/cli/retrieve/command.test.ts: a stream that ends before END is reported as partial',
    ),
    shown(
      'A problem that does not end a stream is a notice or a status',
      'store/retrieval/events.test.ts: a search that fails is a status, and the other spaces are served',
      'contract/targets/ping.scenarios.ts: an unreachable target is a failed probe, not a failed call',
    ),
    shown(
      'The body holds error with code, message and details, all strings',
      `${HTTP}: malformed HTTP is refused with an error body: %s`,
      `${BODIES}: an unknown member is named with its path: %s`,
    ),
    shown(
      '400 for parameters, ids and bodies',
      `${BODIES}: a member of the wrong type is named: %s = %j`,
      `${BODIES}: ids that are no UUIDs are refused in path and body`,
      `${BODIES}: malformed JSON: %j`,
    ),
    shown(
      'Errors over gRPC name fields as its messages do',
      'wires/grpc/metadata.test.ts: errors name fields as the messages do',
      'unit/server/transport/grpc/field-names.test.ts: $typeName: %s is %s',
    ),
    shown(
      'Hostile input is refused with its reason, without effect on other calls',
      'wires/grpc/grpc.test.ts: hostile messages are refused clearly, and the next call is answered',
      `${BODIES}: integers of metadata are stored exactly or refused, at any depth`,
      'contract/nul-characters.test.ts: matches nothing in list filters',
    ),
    shown(
      'A duplicate member of a JSON object is refused with its position, at any depth',
      `${BODIES}: a duplicate member is refused`,
      'unit/shared/json/parse.test.ts: a duplicate member is refused: %s',
    ),
    shown(
      'A malformed item of a batch fails alone, in each of the three batches',
      'contract/memories/batch-items.test.ts: a malformed item of batchCreate fails alone',
      'contract/memories/batch-items.test.ts: a malformed item of batchGet and of batchDelete fails alone',
      'contract/memories/batch-items.test.ts: a file of an item that fails goes to no other item',
      'contract/memories/batch-items.test.ts: over gRPC an item with an invalid value fails alone too',
    ),
    shown(
      '401 without a usable key',
      MATRIX,
      'unit/server/transport/rest/rest.test.ts: 401 to %s names the accepted schemes: %s',
    ),
    shown('403 without the permission', MATRIX),
    shown(
      '404 for what does not exist',
      MATRIX,
      `${HTTP}: no such route: %s`,
      'unit/server/transport/rest/rest.test.ts: %s: 404 allows %s',
    ),
    shown(
      '429 over the rate limit',
      'contract/rate-limits.test.ts: the limit of the flags applies to a key, on both wires together',
    ),
    shown(
      '500 for an unexpected error of the server, whose cause is logged alone',
      'faults/internal-failure.postgres.test.ts: is 500 INTERNAL on both wires, with its cause in the log alone',
      'store/database/failure.test.ts: under a commit is INTERNAL: it is in doubt',
    ),
    shown(
      '503 while the server cannot serve, also from /readyz',
      'faults/database-start.test.ts: is visible on both wires while another server migrates',
      'store/database/failure.test.ts: under a read is UNAVAILABLE',
      'unit/server/transport/rest/rest.test.ts: 503 has Retry-After: while starting, draining and without the database',
    ),
    shown(
      'INVALID_ARGUMENT: a past expiresAt, misnamed config keys, values out of range',
      'contract/identity/api-keys.scenarios.ts: expiresAt may be a decimal string and must lie in the future',
      'contract/retrieval/chat.scenarios.ts: an invalid config is reported in statuses, and the defaults are used',
    ),
    shown(
      'INVALID_REQUEST: a malformed body',
      `${BODIES}: a body of the type %s is refused`,
      `${BODIES}: malformed JSON: %j`,
      `${HTTP}: malformed HTTP is refused with an error body: %s`,
    ),
    shown(
      'NOT_FOUND: an LLM or reranker that does not exist',
      'contract/retrieval/chat.scenarios.ts: a reranker and an LLM that do not exist',
    ),
    shown(
      'ALREADY_EXISTS: the name of another space of the owner',
      'contract/spaces/spaces.scenarios.ts: a name is unique per owner, case-sensitively',
    ),
    shown(
      'FEATURE_DISABLED: summaries without llm_id',
      'contract/retrieval/chat.scenarios.ts: without llm_id: FEATURE_DISABLED first, newest first, by either name',
    ),
    shown(
      'RERANKING_FAILED: a reranker that fails or times out',
      'store/retrieval/chat.test.ts: %s: the order of the search, without the threshold',
      'contract/retrieval/pipeline/pipeline.test.ts: every combination of reranker, LLM, threshold and order, in every form of the stream',
    ),
    shown(
      'SUMMARIZATION_FAILED: an LLM that fails, or a budget that does not suffice',
      'store/retrieval/chat.test.ts: %s: a status after END in its place',
      'contract/retrieval/pipeline/pipeline.test.ts: every combination of reranker, LLM, threshold and order, in every form of the stream',
    ),
    shown(
      'PARTIAL_RESULTS: some embedders are unavailable',
      'store/retrieval/events.test.ts: one of two: PARTIAL_RESULTS names it and its spaces, and the other one serves',
    ),
  ],
};
