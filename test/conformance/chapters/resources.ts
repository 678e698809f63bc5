import { type Chapter, planned, shown } from '../line.ts';

const KEYS = 'contract/identity/api-keys.scenarios.ts';
const SPACES = 'contract/spaces/spaces.scenarios.ts';

export const RESOURCES: Chapter = {
  title: 'Resources and their fields',
  lines: [
    shown(
      'Identifiers are UUID strings; upper case is accepted and lowered',
      'unit/shared/fields/validate.test.ts: UUIDs are lowered in place: fields, oneof members, list items',
      `${SPACES}: create answers with the whole record, and get with the same`,
      'wires/rest/bodies.test.ts: ids that are no UUIDs are refused in path and body',
    ),
    shown(
      'Timestamps are integers in milliseconds since the Unix epoch',
      'unit/shared/json/encode.test.ts: times as epoch milliseconds, before 1970 too; as ISO text where declared',
    ),
    shown(
      'Labels map strings to strings',
      'unit/shared/fields/validate.test.ts: labels and objects',
      'wires/rest/bodies.test.ts: a member of the wrong type is named: %s = %j',
    ),
    shown(
      'API key: labels are optional at creation',
      `${KEYS}: create gives the raw key once, and it works at once`,
      `${KEYS}: labels: ten at most; replaced or merged, never both`,
    ),
    shown(
      'API key: expiresAt is a timestamp, also as a decimal string; one in the past is INVALID_ARGUMENT',
      `${KEYS}: expiresAt may be a decimal string and must lie in the future`,
    ),
    shown('API key: a new one is ACTIVE', `${KEYS}: create gives the raw key once, and it works at once`),
    shown('API key: status can be updated', `${KEYS}: an INACTIVE key is refused at once and can be reactivated`),
    shown('API key: replaceLabels replaces all labels', `${KEYS}: labels: ten at most; replaced or merged, never both`),
    shown(
      'API key: the raw key is in the creation response alone',
      `${KEYS}: create gives the raw key once, and it works at once`,
      'store/identity/api-keys.test.ts: shows the raw key once and stores only its hash',
      'faults/secrets-at-rest.test.ts: the database holds no readable secret: neither credentials, nor keys, nor the secrets key',
    ),
    shown(
      'API key: lists carry neither key nor hash',
      `${KEYS}: create gives the raw key once, and it works at once`,
      `${KEYS}: an admin lists its own keys unless it asks for others`,
      'store/identity/api-keys.test.ts: get and list show metadata to the owner and to admins',
    ),
    shown(
      'API key: creator, updater and both times are recorded',
      'unit/shared/json/encode/samples.test.ts: published records, member for member',
      `${KEYS}: id, owner, key material and audit fields never change; an update records its caller and time`,
      'store/identity/api-keys.test.ts: labels are replaced or merged, with the limit on the result',
    ),
    shown(
      'API key: id, owner, key material and audit fields never change',
      `${KEYS}: id, owner, key material and audit fields never change; an update records its caller and time`,
      `${KEYS}: restrictions are checked when given and never change`,
    ),
    shown(
      'Space: name of 1 to 255 characters, unique per owner',
      `${SPACES}: a name has 1 to 255 code points, however many UTF-16 units those are`,
      `${SPACES}: a name is unique per owner, case-sensitively`,
    ),
    shown('Space: labels', `${SPACES}: labels: twenty at most; replaced or merged, never both`),
    shown(
      'Space: the record has embedders with weights, audit fields, publicRead and its chunking config',
      `${SPACES}: create answers with the whole record, and get with the same`,
      `${SPACES}: update keeps what is not given; null is the same as left out`,
      'unit/shared/json/encode/samples.test.ts: published records, member for member',
    ),
    shown('Space: embedders, owner and chunking config cannot be changed', `${SPACES}: immutable fields are refused`),
    shown(
      'Space: publicRead lets every user read it',
      `${SPACES}: a space of another user is PERMISSION_DENIED unless it is public, and public ones are read only`,
      'contract/memories/memories.scenarios.ts: memories of other users are PERMISSION_DENIED; those of a public space are read only',
      'contract/retrieval/retrieval.scenarios.ts: a caller who may read a space may search it',
    ),
    shown(
      'Space embedder: id and default weight',
      `${SPACES}: embedders: one to eight, weighted, known, readable, each once`,
    ),
    shown(
      'Chunking config: recursive or sentence, with their fields',
      `${SPACES}: chunking configs get defaults and have limits`,
      'unit/server/service/chunking-config.test.ts: of a recursive config: no overlap, the default separators, KEEP_END, characters',
      'unit/server/service/chunking-config.test.ts: of a sentence config, and none has no fields',
    ),
    shown(
      'Chunking config: chunkSize bounds every chunk, chunkOverlap repeats',
      'unit/server/workers/chunk/chunk-text.test.ts: respects the size, slices exactly, loses nothing and splits no character',
      'unit/server/workers/chunk/chunk-text.test.ts: repeats as many whole pieces as the overlap and the size allow',
    ),
    shown(
      'Chunking config: separators, also as patterns, and where the separator goes',
      'unit/server/workers/chunk/chunk-text.test.ts: uses separators as patterns on request, also zero-width ones',
      'unit/server/workers/chunk/chunk-text.test.ts: puts the separator where the strategy says',
    ),
    shown(
      'Chunking config: length in characters or tokens',
      'unit/server/workers/chunk/chunk-text.test.ts: respects the size, slices exactly, loses nothing and splits no character',
      'unit/server/workers/chunk/chunk-text.test.ts: respects the limit by the count of the encoding, overlap included',
    ),
    shown(
      'Chunking config: sentences up to maxChunkSize, joined to minChunkSize',
      'unit/server/workers/chunk/sentence-chunker.test.ts: joins whole sentences up to the maximum',
      'unit/server/workers/chunk/sentence-chunker.test.ts: joins a chunk below the minimum with its neighbor when that fits',
    ),
    planned('Chunking config: language detection picks the rules of sentences', 'documents and OCR'),
    shown(
      'Memory: the record with type, status, metadata that may nest, and audit fields',
      'unit/shared/json/encode/samples.test.ts: published records, member for member',
      'contract/memories/memories.scenarios.ts: create answers with a PENDING record, which ends COMPLETED',
      'store/memories/create.test.ts: stores the record, its content and a job',
    ),
    shown(
      'Chunk: the record with text and vectorStatus',
      'unit/shared/json/encode/samples.test.ts: published records, member for member',
      'contract/memories/chunks.scenarios.ts: a chunk is described as documented',
      'contract/retrieval/retrieval.scenarios.ts: chunks of one memory: numbered, bounded, with neighbors',
    ),
    shown(
      'Ping: endpoint descriptor, probe result, notice and summary with their fields',
      'unit/shared/json/encode/samples.test.ts: published records, member for member',
      'contract/targets/ping.scenarios.ts: once: a real probe of the embedder',
      'contract/targets/ping.scenarios.ts: stream: results in order, then the summary',
      'contract/targets/ping.scenarios.ts: stream: excessive values are clamped, with a notice first',
    ),
    shown(
      'Ping: Unix nanoseconds keep all their digits',
      'wires/rest/streams.test.ts: ping: integers keep all their digits, in SSE as in NDJSON',
      'unit/shared/json/encode/samples.test.ts: integers beyond 2^53 keep their digits',
    ),
    shown(
      'Post processor: the chat post processor goes by its factory name',
      'contract/retrieval/chat.scenarios.ts: without llm_id: FEATURE_DISABLED first, newest first, by either name',
    ),
    shown(
      'Post processor: config keys are snake_case, each with its type, range and default; camelCase ones are invalid',
      'unit/server/service/retrieval/chat-config.test.ts: every setting is read',
      'unit/server/service/retrieval/chat-config.test.ts: an empty config has the defaults',
      'unit/server/service/retrieval/chat-config.test.ts: %s: %j',
    ),
    shown(
      'Post processor: reranker_id and llm_id are validated before processing starts',
      'contract/retrieval/chat.scenarios.ts: a reranker and an LLM that do not exist',
      'store/retrieval/chat.test.ts: the feature, settings, templates, the reranker, the LLM',
    ),
    shown(
      'Post processor: relevance_threshold applies only with reranking',
      'contract/retrieval/pipeline/pipeline.test.ts: every combination of reranker, LLM, threshold and order, in every form of the stream',
      'store/retrieval/chat.test.ts: a score equal to the threshold is enough',
      'store/retrieval/chat.test.ts: %s: the order of the search, without the threshold',
    ),
    shown(
      'Post processor: sys_prompt and prompt are Pebble templates',
      'unit/server/workers/template/interpreter.test.ts: %s',
      'unit/server/workers/template/limits.test.ts: %s ends at a limit, and other templates run meanwhile',
      'store/retrieval/chat.test.ts: templates of the caller see every field of the results',
    ),
    shown(
      'Post processor: gen_token_budget bounds the summary',
      'store/retrieval/chat.test.ts: token budget: %s',
      'store/retrieval/chat.test.ts: the built-in prompts hold the question, the conversation and the data',
      'store/retrieval/chat.test.ts: %s: a status after END in its place',
    ),
    shown(
      'Post processor: the GET names of its settings',
      'unit/shared/operations/retrieve-query.test.ts: is read by %s',
      'unit/shared/operations/retrieve-query.test.ts: the settings are the non-text ones of the post processor',
      'wires/rest/streams.test.ts: every spelling of %s means the same',
    ),
    shown(
      'Pipeline: rerank, then the relevance filter',
      'contract/retrieval/pipeline/pipeline.test.ts: every combination of reranker, LLM, threshold and order, in every form of the stream',
    ),
    shown(
      'Pipeline: chronological sort, newest first; without it the order of the search',
      'store/retrieval/events.test.ts: says first that there is no summary, and sorts by time after the cut',
      'contract/retrieval/chat.scenarios.ts: chronological_resort false keeps the order of the search',
    ),
    shown(
      'Pipeline: all results are streamed before the LLM is called',
      'contract/retrieval/pipeline/pipeline.test.ts: every item and END are sent before the LLM answers',
    ),
    shown(
      'Pipeline: max_results is applied after filtering',
      'contract/retrieval/pipeline/pipeline.test.ts: threshold and max_results both remove results, in another order than the search',
      'contract/retrieval/pipeline/pipeline.test.ts: every combination of reranker, LLM, threshold and order, in every form of the stream',
    ),
    shown(
      'Templates: userQuery, dataSection, context and results, with every field of an item',
      'store/retrieval/chat.test.ts: templates of the caller see every field of the results',
      'unit/server/service/templates/prompt-templates.test.ts: keeps dates, doubles and nested metadata',
    ),
    shown(
      'Templates: dataSection numbers the entries under one heading, in any order',
      'contract/retrieval/pipeline/pipeline.test.ts: every combination of reranker, LLM, threshold and order, in every form of the stream',
      'store/retrieval/chat.test.ts: the built-in prompts hold the question, the conversation and the data',
    ),
    shown(
      'Templates: custom prompts use userQuery and dataSection',
      'unit/server/service/templates/prompt-templates.test.ts: %j: %s',
      'store/retrieval/chat.test.ts: the feature, settings, templates, the reranker, the LLM',
    ),
    shown(
      'Templates: what the default prompts tell the model',
      'unit/server/service/templates/prompt-templates.test.ts: give the system prompt as it is',
      'unit/server/service/templates/prompt-templates.test.ts: give earlier turns, the query and the data',
    ),
    shown(
      'Custom post processors are selected by name in the POST body only',
      'store/retrieval/custom.test.ts: statuses, items in its order with its scores, whole memories, and the abstract behind them',
      'contract/retrieval/pipeline/pipeline.test.ts: the example of the document, with and without a reranker',
      'wires/rest/streams.test.ts: the GET form takes ids in a list or repeated, and always uses the chat post processor',
    ),
  ],
};
