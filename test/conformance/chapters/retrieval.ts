import { type Chapter, planned, shown } from '../line.ts';

const RETRIEVAL = 'contract/retrieval/retrieval.scenarios.ts';
const EVENTS = 'store/retrieval/events.test.ts';
const CHAT = 'store/retrieval/chat.test.ts';
const CUSTOM = 'store/retrieval/custom.test.ts';
const EXACT = 'store/retrieval/exact.test.ts';
const PARTITION = 'store/retrieval/partition.test.ts';
const VALUES = 'store/filter/values.test.ts';
const PARSE = 'unit/server/service/filter/parse-filter.test.ts';

export const RETRIEVAL_CHAPTER: Chapter = {
  title: 'Retrieval and filters',
  lines: [
    shown(
      'Every field of a request is validated, and refused before any event',
      `${RETRIEVAL}: bad requests are refused before any event`,
      `${RETRIEVAL}: hnsw options have limits`,
      `${EVENTS}: errors before the first event`,
    ),
    shown(
      'requestedSize 0 is 20 without, and max_results with the chat post processor',
      `${RETRIEVAL}: the requested size is the number of results; 0 means 20`,
    ),
    shown(
      'A reranker gets 50 candidates or the requested number, and its scores replace those of the search',
      `${CHAT}: gets the texts of 50 candidates or the requested number, and its scores replace those of the search`,
    ),
    shown(
      'Memories are sent once, before their first chunk, left out, or with their content',
      `${RETRIEVAL}: memories are left out, or sent with their content`,
      `${EVENTS}: defines each memory before its first item, all under one result set`,
      `${EVENTS}: without fetchMemory counts memories all the same`,
    ),
    shown(
      'neighbors adds the adjacent chunks of each, in order; maxPerMemory lets other memories fill the size',
      `${RETRIEVAL}: chunks of one memory: numbered, bounded, with neighbors`,
      `${EVENTS}: neighbors are up to so many before and after, in order`,
      `${EXACT}: lets other memories fill the size`,
    ),
    shown(
      'explain ends the stream with the times of the stages and how each space was scanned',
      `${RETRIEVAL}: explain ends the stream with the plan and its times`,
      `${EVENTS}: explain comes last and says how each space was scanned`,
      `${CHAT}: explain comes after the reply, and tells the time of every stage`,
    ),
    shown(
      'Scores are weighted sums of cosines over all embedders, best first; weights of the request override those of the space',
      `${EXACT}: the score is the weighted sum over all embedders, for the candidates of each`,
      `${EXACT}: returns the nearest, best first, with the cosine as score`,
      `${EVENTS}: weights of the request override those of the space`,
    ),
    shown(
      'A weight of 0 skips an embedder, a negative one pushes candidates down and brings none',
      `${RETRIEVAL}: weights: zero skips an embedder, a negative one reverses the order, one for another embedder is refused`,
      `${EVENTS}: one of two: PARTIAL_RESULTS names it and its spaces, and the other one serves`,
      `${EVENTS}: weight 0 for every embedder is a status`,
      `${EXACT}: a negative weight pushes candidates of the others down and brings none`,
      `${EXACT}: with negative weights alone the farthest are best`,
    ),
    shown(
      'Spaces are merged by score; of equal scores the newer memory comes first, then the chunk id decides',
      `${RETRIEVAL}: results of several spaces are ranked together`,
      `${EXACT}: the newer memory comes first, also when a size of %i separates equal scores`,
      `${EXACT}: chunks of one memory come by their id`,
    ),
    shown(
      'Expired, deleted and not COMPLETED memories are not found, and the size is filled with others',
      `${RETRIEVAL}: expired, deleted and not COMPLETED memories are not found`,
      `${EXACT}: hidden memories are excluded, and the result is still full`,
      `${PARTITION}: hidden memories leave the result full`,
    ),
    shown(
      'A large space is searched through its index and its later inserts, with high recall',
      `${PARTITION}: is searched through the index with high recall`,
      `${PARTITION}: later inserts are found at once, merged with the index`,
      `${PARTITION}: a selective filter is answered by an exact scan`,
    ),
    shown(
      'Statuses precede the results, in order: the feature, settings, templates, the reranker, the LLM, then embedders',
      `${CHAT}: the feature, settings, templates, the reranker, the LLM`,
      `${EVENTS}: statuses of the post processor come before those of embedders`,
      `${CHAT}: an LLM that cannot chat`,
    ),
    shown(
      'Embedders: the cause of each failure, then EMBEDDER_FAILED and an empty result set when it was the only one',
      `${EVENTS}: the only one with %s: its cause, then EMBEDDER_FAILED, then an empty result set`,
    ),
    shown(
      'Spaces: VECTOR_SEARCH_FAILED, _TIMEOUT and _PARTIAL, and a concurrent deletion or loss of access, affect that space alone',
      `${EVENTS}: a search that fails is a status, and the other spaces are served`,
      `${EXACT}: ends a search that is blocked in the database; others are served`,
      `${PARTITION}: an iterative scan that ends early says so`,
      `${CHAT}: the space is deleted: SPACE_NOT_FOUND`,
      `${CHAT}: the space is closed: SPACE_INACCESSIBLE, with fetchMemory %s`,
    ),
    shown(
      'Items that are deleted during the call are left out, with a status',
      `${EVENTS}: a chunk was deleted before it is loaded: CHUNK_NOT_FOUND, and the rest is served`,
      `${CHAT}: a memory is deleted: MEMORY_LOAD_FAILED, and the rest is served`,
    ),
    shown(
      'An empty result set has BEGIN and END, and calls neither reranker nor LLM',
      `${RETRIEVAL}: an empty space is an empty result set`,
      `${CHAT}: no results: neither the reranker nor the LLM is called`,
    ),
    shown(
      'The LLM gets one call with the temperature and budget of the config; the record supplies the rest',
      `${CHAT}: the built-in prompts hold the question, the conversation and the data`,
      `${CHAT}: token budget: %s`,
      `${CHAT}: the record's sampling values supply the rest, and its capabilities count`,
    ),
    shown(
      'The summary is streamed in pieces on request, and then sent as a whole',
      `${CHAT}: a summary that is wanted in pieces comes in pieces, and then as a whole`,
      `${CHAT}: pieces of a summary that fails are followed by the status`,
    ),
    shown(
      'Only the message is embedded; earlier turns reach the templates',
      `${CHAT}: the built-in prompts hold the question, the conversation and the data`,
      `${CHAT}: templates of the caller see every field of the results`,
    ),
    shown(
      'Templates reach their data alone, and print 1 MiB at most',
      'unit/server/workers/template/interpreter/escapes.test.ts: templates reach their data alone',
      'unit/server/service/templates/prompt-templates.test.ts: prints 1 MiB and no byte more',
    ),
    shown(
      'A client abort ends its work, on the server and at the providers',
      'store/retrieval/departures.test.ts: a client abort after any event leaves nothing behind',
      'store/retrieval/departures.test.ts: a client abort cancels the outgoing call',
      'contract/retrieval/chat.scenarios.ts: a client that aborts during the LLM call cancels it',
    ),
    shown(
      'Custom post processors get the question, turns, results and config, and tools with the permissions of the caller',
      `${CUSTOM}: the question, the turns, the results and the config arrive`,
      `${CUSTOM}: candidates bound what the search brings`,
      `${CUSTOM}: rerank and complete with the permissions of the caller`,
    ),
    shown(
      'A faulty one ends neither the stream nor the server; a module that does not load is a configuration error',
      `${CUSTOM}: a faulty one ends neither the stream nor the server`,
      `${CUSTOM}: it refuses the config: 400 with its words`,
      'process/server/service/post-processors/load-modules.test.ts: a module that does not load is a configuration error',
    ),
    shown(
      'Filters: every documented example means what the documentation says',
      'store/filter/examples.test.ts: the documented examples',
      'store/filter/examples.test.ts: are all of the documentation',
    ),
    shown(
      'Filters: random filters on random metadata agree with a model of the language',
      'store/filter/property.test.ts: random filters on random metadata agree with the model',
    ),
    shown(
      'Filters: no text of a filter enters the statement',
      'unit/server/store/filter/compile-filter.test.ts: keeps strings, numbers and paths out of the statement',
      'unit/server/store/filter/compile-filter.test.ts: contains no text of the filter',
      `${VALUES}: hostile text stays a value`,
    ),
    shown(
      'Filters: NULL, casts that fail, division by zero and types of untyped values',
      `${VALUES}: NULL`,
      `${VALUES}: casts`,
      `${VALUES}: arithmetic`,
      `${VALUES}: the type of an uncast value`,
    ),
    shown(
      'Filters: dates are ISO 8601, UTC without zone, whatever the session of the database',
      'store/filter/dates.test.ts: in a session in %s',
    ),
    shown(
      'Filters: arrays, paths and fields of the record',
      `${VALUES}: arrays`,
      `${VALUES}: paths`,
      `${VALUES}: the record`,
    ),
    shown(
      'Filters: errors of syntax and type are 400 with line, column and what was expected',
      `${PARSE}: syntax errors`,
      `${PARSE}: type errors`,
      `${RETRIEVAL}: a filter applies to its space alone`,
      'contract/memories/lists.scenarios.ts: invalid parameters are refused',
    ),
    shown(
      'Filters: 10,000 characters, 100 levels and 1000 items of a list',
      `${PARSE}: 10000 characters, counted as code points`,
      `${PARSE}: deeper nesting is refused: %.20s…`,
      `${PARSE}: 1000 items of a list`,
      `${VALUES}: the deepest and longest filters run`,
    ),
    planned('search: TEXT and HYBRID beside vectors, and adjacency', 'text and hybrid search'),
  ],
};
