import { type Chapter, shown } from '../line.ts';

const STREAMS = 'wires/rest/streams.test.ts';
const RETRIEVAL = 'contract/retrieval/retrieval.scenarios.ts';
const EVENTS = 'store/retrieval/events.test.ts';

export const EVENTS_CHAPTER: Chapter = {
  title: 'Events',
  lines: [
    shown(
      'SSE: frames of event and data, and a last one that closes',
      `${STREAMS}: SSE for Accept: %s`,
      'unit/shared/json/event-frames.test.ts: an event is one line, or one frame, whatever its text',
      'unit/shared/json/event-frames.test.ts: the ends and headers',
    ),
    shown(
      'NDJSON: one object a line, and the stream ends with its last line',
      `${STREAMS}: NDJSON for Accept: %s`,
      'unit/shared/json/event-frames.test.ts: no event contains a line end',
    ),
    shown(
      'With --sdk-events: nested items, negative scores of the vector stage, the message of an error at the top too',
      'unit/shared/json/sdk-events.test.ts: only the items of a REST stream are nested: %s as %s',
      'unit/shared/json/sdk-events.test.ts: a score of %s is written as %d',
      'unit/shared/json/sdk-events.test.ts: an error has its message at the top level too, on every path',
      'unit/shared/json/sdk-events.test.ts: gRPC does not change',
      'contract/rate-limits.test.ts: with --sdk-events the items of a stream are nested',
    ),
    shown(
      'Without an Accept header the stream is NDJSON',
      'unit/shared/json/event-frames.test.ts: Accept: %s gives %s',
    ),
    shown(
      'Both formats carry the same payloads, one member each',
      `${STREAMS}: ping: integers keep all their digits, in SSE as in NDJSON`,
      'unit/shared/json/encode/samples.test.ts: published records, member for member',
    ),
    shown(
      'Ping: result, notice, summary; the summary comes last',
      'contract/targets/ping.scenarios.ts: stream: results in order, then the summary',
    ),
    shown(
      'Ping: COUNT_CLAMPED with requested and applied',
      'contract/targets/ping.scenarios.ts: stream: excessive values are clamped, with a notice first',
    ),
    shown(
      'Retrieval: BEGIN with stage and expected items, END with an empty stage, one result set id',
      `${EVENTS}: defines each memory before its first item, all under one result set`,
      `${RETRIEVAL}: an empty space is an empty result set`,
    ),
    shown(
      'Retrieval: items with chunk, memoryIndex and a score that may be negative',
      `${RETRIEVAL}: the nearest chunk comes first, after its memory`,
      `${RETRIEVAL}: weights: zero skips an embedder, a negative one reverses the order, one for another embedder is refused`,
    ),
    shown(
      'Retrieval: abstractReply after END, at most one',
      'contract/retrieval/pipeline/pipeline.test.ts: every combination of reranker, LLM, threshold and order, in every form of the stream',
      'contract/retrieval/pipeline/pipeline.test.ts: every item and END are sent before the LLM answers',
    ),
    shown(
      'Retrieval: status with code, message and details',
      'contract/retrieval/chat.scenarios.ts: an invalid config is reported in statuses, and the defaults are used',
    ),
    shown(
      'Retrieval: without llm_id FEATURE_DISABLED names the feature and the parameter',
      'contract/retrieval/chat.scenarios.ts: without llm_id: FEATURE_DISABLED first, newest first, by either name',
    ),
    shown(
      'Retrieval: INVALID_ARGUMENT for unknown config keys and numbers out of range',
      'contract/retrieval/chat.scenarios.ts: an invalid config is reported in statuses, and the defaults are used',
      'unit/server/service/retrieval/chat-config.test.ts: an invalid setting is dropped with a status, and its default applies',
    ),
    shown(
      'Retrieval: NOT_FOUND for an unknown LLM or reranker',
      'contract/retrieval/chat.scenarios.ts: a reranker and an LLM that do not exist',
    ),
    shown(
      'Retrieval: PARTIAL_RESULTS when some embedders are unavailable',
      `${EVENTS}: one of two: PARTIAL_RESULTS names it and its spaces, and the other one serves`,
    ),
    shown(
      'A connection that closes before END means that results may be partial; the client says so',
      'unit/cli/retrieve/command.test.ts: a stream that ends before END is reported as partial',
    ),
  ],
};
