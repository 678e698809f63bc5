import { type Chapter, shown } from '../line.ts';

const HTTP = 'wires/rest/http.test.ts';
const BODIES = 'wires/rest/bodies.test.ts';
const MATRIX = 'contract/permissions/permissions.test.ts: who may, over %s';

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
      'faults/lifecycle-drain.test.ts: what does not end within the grace period is ended',
      'unit/cli/retrieve/command.test.ts: a stream that ends before END is told apart',
    ),
    shown(
      'What goes wrong without ending a stream is a notice or a status',
      'store/retrieval/events.test.ts: a search that fails is a remark, and the other spaces are served',
      'contract/targets/ping.scenarios.ts: a target that nobody answers is a failed probe, not a failed call',
    ),
    shown(
      'The body holds error with code, message and details, all strings',
      `${HTTP}: what is not HTTP is refused in the same words: %s`,
      `${BODIES}: an unknown member is named with its path: %s`,
    ),
    shown(
      '400 for parameters, ids and bodies',
      `${BODIES}: a member of the wrong type is named: %s = %j`,
      `${BODIES}: ids that are no UUIDs are refused in path and body`,
      `${BODIES}: text that is no JSON: %j`,
    ),
    shown(
      'Errors over gRPC name fields as its messages do',
      'wires/grpc/grpc.test.ts: errors name fields as the messages do',
      'unit/server/transport/grpc/field-names.test.ts: $typeName: %s is %s',
    ),
    shown(
      'Hostile input is refused in words that say what is wrong, and harms nobody else',
      'wires/grpc/grpc.test.ts: what is hostile in itself is refused clearly, and the next call is answered',
      `${BODIES}: integers of metadata are stored exactly or refused, wherever they stand`,
      'contract/nul-characters.test.ts: lists find nothing that has it',
    ),
    shown(
      'A member that stands twice in an object of JSON is refused, with its place, wherever the object stands',
      `${BODIES}: a member given twice is refused: readers do not agree on which one counts`,
      'unit/shared/json/parse.test.ts: a member that an object names twice is refused: %s',
    ),
    shown(
      'An item of a batch that cannot be read fails alone, in each of the three batches',
      'contract/memories/batch-items.test.ts: an item of batchCreate that cannot be read fails alone',
      'contract/memories/batch-items.test.ts: an item of batchGet and of batchDelete that cannot be read fails alone',
      'contract/memories/batch-items.test.ts: a file of an item that fails goes to no other item',
      'contract/memories/batch-items.test.ts: over gRPC an item with a value that no item may have fails alone as well',
    ),
    shown(
      '401 without a usable key',
      MATRIX,
      'unit/server/transport/rest/headers.test.ts: 401 to %s says what it takes: %s',
    ),
    shown('403 without the permission', MATRIX),
    shown(
      '404 for what does not exist',
      MATRIX,
      `${HTTP}: no such route: %s`,
      'unit/server/transport/rest/headers.test.ts: %s: 404 allows %s',
    ),
    shown(
      '429 over the rate limit',
      'contract/rate-limits.test.ts: the limit of the flags holds for a key, on both wires together',
    ),
    shown(
      '500 for a fault of the server, which keeps its reason to the log',
      'faults/internal-failure.postgres.test.ts: is 500 INTERNAL on both wires, with its reason in the log alone',
      'store/database/failure.test.ts: under a commit is INTERNAL: it is in doubt',
    ),
    shown(
      '503 while the server cannot serve, also from /readyz',
      'faults/database-start.test.ts: is visible on both wires while another server migrates',
      'store/database/failure.test.ts: under a read is UNAVAILABLE',
      'unit/server/transport/rest/headers.test.ts: 503 says when a repeat may succeed: while starting, draining and without the database',
    ),
    shown(
      'INVALID_ARGUMENT: a past expiresAt, misnamed config keys, values out of range',
      'contract/identity/api-keys.scenarios.ts: expiresAt may be a decimal string and must lie in the future',
      'contract/retrieval/chat.scenarios.ts: what is wrong with the config is said in statuses, and the defaults are used',
    ),
    shown(
      'INVALID_REQUEST: a body that is none',
      `${BODIES}: a body of the type %s is refused`,
      `${BODIES}: text that is no JSON: %j`,
      `${HTTP}: what is not HTTP is refused in the same words: %s`,
    ),
    shown(
      'NOT_FOUND: an LLM or reranker that does not exist',
      'contract/retrieval/chat.scenarios.ts: a reranker and an LLM that do not exist',
    ),
    shown(
      'ALREADY_EXISTS: the name of another space of the owner',
      'contract/spaces/spaces.scenarios.ts: a name is unique per owner, with case',
    ),
    shown(
      'FEATURE_DISABLED: summaries without llm_id',
      'contract/retrieval/chat.scenarios.ts: without llm_id: FEATURE_DISABLED first, newest first, by either name',
    ),
    shown(
      'RERANKING_FAILED: a reranker that fails or is late',
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
