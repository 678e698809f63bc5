import { type Chapter, planned, shown } from '../line.ts';

const KEYS = 'contract/identity/api-keys.scenarios.ts';
const SPACES = 'contract/spaces/spaces.scenarios.ts';
const STREAMS = 'wires/rest/streams.test.ts';
const HTTP = 'wires/rest/http.test.ts';
const MATRIX = 'contract/permissions/permissions.test.ts: operations by caller, over %s';

export const ENDPOINTS: Chapter = {
  title: 'Endpoints',
  lines: [
    shown(
      'Every query parameter of a GET is accepted in camelCase and in snake_case; camelCase wins',
      'unit/server/transport/rest/request.test.ts: %s',
      'unit/server/transport/rest/request.test.ts: every GET route is listed, and every field of its request outside the path',
      `${HTTP}: query names come in both cases, camelCase wins, unknown ones are ignored`,
    ),
    shown(
      'Bodies are JSON except for streams',
      'wires/rest/bodies.test.ts: a body of the type %s is refused',
      'wires/rest/bodies.test.ts: JSON that is no object: %s',
      `${HTTP}: creates answer 201 with the Location of the new resource`,
    ),
    shown(
      'HEAD is GET without the body for every GET route, and does not run a stream',
      'unit/server/transport/rest/rest.test.ts: HEAD %s is GET without the body',
      'unit/server/transport/rest/rest.test.ts: HEAD of a stream ends before the handler runs',
      `${HTTP}: HEAD is accepted wherever GET is`,
    ),
    shown(
      'A method that a path does not take is 404, with the methods that it takes in Allow',
      'unit/server/transport/rest/rest.test.ts: %s: 404 allows %s',
    ),
    shown(
      'Responses are compressed by Accept-Encoding, streams flush each event; compressed request bodies are 415',
      'unit/server/transport/rest/rest.test.ts: Accept-Encoding: %s compresses: %s',
      'unit/server/transport/rest/rest.test.ts: a compressed stream flushes each event, and one that fails has sent the earlier ones',
      'unit/server/transport/rest/rest.test.ts: a body with Content-Encoding: %s is 415',
    ),
    shown(
      'POST /v1/apikeys: 201 with the raw key, and Location',
      `${KEYS}: create gives the raw key once, and it works at once`,
      `${HTTP}: creates answer 201 with the Location of the new resource`,
    ),
    shown(
      'DELETE /v1/apikeys/{id}: 204 without a body, then 404',
      `${KEYS}: a deleted key is refused at once; a second delete is NOT_FOUND`,
    ),
    shown(
      'DELETE and PUT of a key: a malformed id is 400',
      'wires/rest/bodies.test.ts: ids that are no UUIDs are refused in path and body',
    ),
    shown(
      'GET /v1/apikeys: metadata of the keys of the caller; an admin may ask for those of others',
      `${KEYS}: an admin lists its own keys unless it asks for others`,
    ),
    shown(
      'PUT /v1/apikeys/{id}: status and labels; a repeat changes nothing',
      `${KEYS}: an INACTIVE key is refused at once and can be reactivated`,
      `${KEYS}: an empty update changes nothing`,
      `${KEYS}: id, owner, key material and audit fields never change; an update records its caller and time`,
    ),
    shown(
      'API keys: each operation needs its permission, _OWN or _ANY',
      `${KEYS}: keys of others need the _ANY permission`,
      MATRIX,
    ),
    shown(
      'PUT /v1/spaces/{id}: omitted and null members are unchanged',
      `${SPACES}: update keeps what is not given; null is the same as left out`,
    ),
    shown(
      'PUT /v1/spaces/{id}: a taken name is ALREADY_EXISTS',
      `${SPACES}: a name is unique per owner, case-sensitively`,
    ),
    shown(
      'PUT /v1/spaces/{id}: replaceLabels and mergeLabels exclude each other',
      `${SPACES}: labels: twenty at most; replaced or merged, never both`,
    ),
    shown(
      'PUT /v1/spaces/{id}: embedders, chunking config and owner are refused',
      `${SPACES}: immutable fields are refused`,
    ),
    shown('PUT /v1/spaces/{id}: UPDATE_SPACE_OWN, or UPDATE_SPACE_ANY', MATRIX),
    shown(
      'GET /v1/spaces and /v1/spaces/{id}: includeStatistics counts memories and bytes',
      `${SPACES}: statistics are included on request, for every caller who may read the space`,
      'store/spaces/statistics.test.ts: what has expired does not count, and a space without memories has no row',
    ),
    shown(
      'GET /v1/memories:retrieve: message, spaceIds and the pp_ parameters; always the chat post processor',
      `${STREAMS}: the GET form takes ids in a list or repeated, and always uses the chat post processor`,
      `${STREAMS}: every spelling of %s means the same`,
      `${STREAMS}: of several spellings long camelCase wins, then short camelCase`,
      `${STREAMS}: the GET form takes a filter, sizes and switches`,
      `${STREAMS}: a GET value of the wrong type is refused; one out of range is a status`,
      'unit/shared/operations/retrieve-query.test.ts: is read by %s',
    ),
    shown(
      'POST /v1/memories:retrieve: message, spaceKeys, postProcessor, hnsw',
      'contract/retrieval/retrieval.scenarios.ts: results of several spaces are ranked together',
      'contract/retrieval/chat.scenarios.ts: without llm_id: FEATURE_DISABLED first, newest first, by either name',
    ),
    shown(
      'hnsw: efSearch, iterativeScan, maxScanTuples, scanMemMultiplier, in POST only',
      'contract/retrieval/retrieval.scenarios.ts: hnsw options have limits',
      'store/retrieval/partition.test.ts: an iterative scan that ends early says so',
      'store/retrieval/partition.test.ts: one that ends at maxScanTuples says so; one that was exhausted is followed by an exact scan',
      'store/retrieval/partition.test.ts: every hnsw option of a request is set in the searching session',
      'unit/shared/operations/retrieve-query.test.ts: %s exists in POST only and is ignored',
    ),
    shown(
      'The stream format follows the Accept header',
      `${STREAMS}: NDJSON for Accept: %s`,
      `${STREAMS}: SSE for Accept: %s`,
    ),
    shown(
      'POST /v1/ping:stream: targetId and targetTypeHint; results, notices and a summary',
      'contract/targets/ping.scenarios.ts: stream: results in order, then the summary',
      'contract/targets/ping.scenarios.ts: stream: excessive values are clamped, with a notice first',
      'contract/targets/ping.scenarios.ts: a target must exist, match the type hint, and be readable by the caller',
      'contract/targets/ping.scenarios.ts: LLMs and rerankers are probed by one small real call each',
    ),
    shown(
      'GET /v1/llms lists the LLMs',
      'contract/targets/reading.scenarios.ts: lists are newest first and match every filter',
    ),
    shown(
      'POST /v1/system/init makes the root user once and shows its key once',
      'contract/system/init.test.ts: of concurrent first calls over both wires exactly one gets the key',
      'contract/system/system.scenarios.ts: a second init says that root exists, and returns no key',
    ),
    shown(
      'POST /v1/admin:drain enters drain mode, and may wait for quiesce',
      'faults/admin-drain.test.ts: a drain with work in progress serves reads and streams, refuses writes, and ends at its timeout',
    ),
    shown(
      'GET /metrics: Prometheus text, with X-Service-Metrics-Key',
      'contract/system/metrics.test.ts: every metric is there, under its name and with its labels',
      'contract/system/metrics.test.ts: asks for the secret, and for no API key',
      'unit/server/transport/rest/operational.test.ts: is Prometheus text in every state of the server',
    ),
    shown(
      'GET /health: always 200',
      `${HTTP}: the health endpoints need no key and report the state`,
      'faults/database-start.test.ts: is visible on both wires while another server migrates',
      'faults/lifecycle-drain.test.ts: SIGTERM: streams finish, reads are served, writes are not, exit 0',
      'faults/admin-drain.test.ts: a drain of an idle server ends at once, and the server runs until a signal',
    ),
    shown(
      'GET /livez, /readyz and /startupz follow the lifecycle',
      `${HTTP}: the health endpoints need no key and report the state`,
      'faults/database-start.test.ts: is visible on both wires while another server migrates',
      'faults/lifecycle-drain.test.ts: SIGTERM: streams finish, reads are served, writes are not, exit 0',
      'faults/admin-drain.test.ts: a drain of an idle server ends at once, and the server runs until a signal',
    ),
    shown(
      'GET /v1/spaces: ownerId and maxResults',
      'contract/spaces/lists.scenarios.ts: LIST_SPACE_ANY lists the spaces of other users, and every user lists public ones',
      'contract/spaces/lists.scenarios.ts: maxResults is clamped to its range',
    ),
    shown(
      'POST /v1/spaces: name, description and an embedder id',
      `${SPACES}: description and retentionDays are shown when set; retentionDays can be removed`,
      `${SPACES}: embedders: one to eight, weighted, known, readable, each once`,
    ),
    shown(
      'The gRPC health service is registered',
      'wires/grpc/health.test.ts: health: check, list and watch need no key',
    ),
    shown(
      'Users, embedders, LLMs, rerankers and memories have their remaining operations',
      'contract/identity/users.scenarios.ts: create, then read by id and by email in any case',
      'contract/targets/targets.scenarios.ts: update changes the given fields and keeps the others',
      'contract/identity/users.scenarios.ts: update: what is given changes, the rest stays',
      'contract/identity/users.scenarios.ts: delete: once, and the keys are refused at once',
      'contract/identity/users.scenarios.ts: the list is paged, newest first, and its tokens fit it only',
      'contract/targets/targets.scenarios.ts: create fills in the defaults',
      'contract/targets/targets.scenarios.ts: a deleted target is NOT_FOUND',
      'contract/targets/reading.scenarios.ts: lists are newest first and match every filter',
      'contract/memories/memories.scenarios.ts: content comes back byte for byte, text as it was extracted',
      'contract/memories/memories.scenarios.ts: a second delete is NOT_FOUND',
      'contract/memories/update.scenarios.ts: metadata is replaced or merged, member by member',
    ),
    planned('OCR of documents, and images of pages', 'documents and OCR'),
  ],
};
