import { type Chapter, planned, shown } from '../line.ts';

export const PURPOSE: Chapter = {
  title: 'What the service does',
  lines: [
    shown(
      'Memories are stored in spaces, split into chunks, and each chunk is embedded',
      'contract/memories/memories.scenarios.ts: create answers with a PENDING record, which ends COMPLETED',
      'store/ingest/process.test.ts: waitMs answers with the completed memory, its chunks, text and vectors',
      'store/ingest/process.test.ts: many chunks in several batches are complete and in order',
    ),
    shown(
      'Memories are retrieved by semantic search',
      'contract/retrieval/retrieval.scenarios.ts: the nearest chunk comes first, after its memory',
      'unit/server/providers/builtin/embed-lexical.test.ts: find the passage that answers a question',
    ),
    shown(
      'Results can be reranked, filtered by relevance, and summarized by a language model',
      'contract/retrieval/pipeline/pipeline.test.ts: every combination of reranker, LLM, threshold and order, in every form of the stream',
      'store/retrieval/chat.test.ts: the built-in prompts hold the question, the conversation and the data',
    ),
    shown(
      'Results can be sorted chronologically',
      'store/retrieval/events.test.ts: says first that there is no summary, and sorts by time after the cut',
      'contract/retrieval/chat.scenarios.ts: without llm_id: FEATURE_DISABLED first, newest first, by either name',
    ),
    shown(
      'Results are streamed to the caller as they arrive, with back-pressure',
      'wires/rest/streams.test.ts: NDJSON for Accept: %s',
      'contract/retrieval/pipeline/pipeline.test.ts: every item and END are sent before the LLM answers',
      'unit/server/transport/rest/stream.test.ts: an event does not wait for the next one',
      'unit/server/transport/rest/stream.test.ts: a client that does not read causes back-pressure',
    ),
    shown(
      'API keys, spaces, users, embedders, LLMs, rerankers, memories, ping, system and administration have operations of their own',
      'contract/system/unbuilt.scenarios.ts: … does not say UNIMPLEMENTED',
      'contract/permissions/permissions.test.ts: operations by caller, over %s',
      'unit/server/openapi/document.test.ts: describes every route of the table, and no other below /v1 than the proxy and itself',
    ),
    planned('OCR works when the address of an OCR service is configured', 'documents and OCR'),
    shown(
      'REST and gRPC offer the same operations: every scenario is played over both wires',
      'contract/scenario.fixture.ts: %s',
      'wires/grpc/reflection.test.ts: the RPCs of the services are the operations that REST has, with streams where it has them',
    ),
    shown(
      'Both wires stream',
      'contract/targets/ping.scenarios.ts: stream: results in order, then the summary',
      'contract/retrieval/pipeline/pipeline.test.ts: every combination of reranker, LLM, threshold and order, in every form of the stream',
    ),
    shown(
      'REST listens on 8080 and gRPC on 9090 by default',
      'unit/server/settings/load.test.ts: are those of the documentation',
      'unit/server/settings/load.test.ts: rank flag, variable, default',
      'process/serve/config.test.ts: a port of %s that is in use is reported in a sentence; exit 78',
    ),
    shown(
      'The REST port also serves health, metrics and static files under /console/',
      'wires/rest/http.test.ts: the health endpoints need no key and report the state',
      'contract/system/metrics.test.ts: every metric is there, under its name and with its labels',
      'wires/rest/openapi.test.ts: /console/reference/%s is served without a key, with security headers',
    ),
    planned('The web console is served at /console/', 'web console'),
    shown(
      'All data lives in PostgreSQL; another server on the same database sees it',
      'faults/database-start.test.ts: what one server stores and embeds is found by the other, and by a third when both have stopped',
      'faults/database-start.test.ts: a key changed on one server is changed on the other at once; page tokens are valid on both',
    ),
  ],
};
