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
      'Every field of a request has its bounds, and is refused before any event when it does not fit',
      `${RETRIEVAL}: bad requests are refused before any event`,
      `${RETRIEVAL}: hnsw options have bounds`,
      `${EVENTS}: refusals come before any event`,
    ),
    shown(
      'The size is what was asked for; 0 is 20 without, and max_results with the chat post processor',
      `${RETRIEVAL}: the size is what was asked for; 0 is twenty`,
    ),
    shown(
      'A reranker gets 50 candidates or as many as were asked for, and its scores replace those of the search',
      `${CHAT}: gets the texts of 50 candidates or as many as were asked for, and its scores replace those of the search`,
    ),
    shown(
      'Memories are sent once, before their first chunk, left out, or with their content',
      `${RETRIEVAL}: memories are left out, or come with their content`,
      `${EVENTS}: defines each memory before its first item, all under one result set`,
      `${EVENTS}: without fetchMemory counts memories all the same`,
    ),
    shown(
      'neighbors adds the chunks beside each, in order; maxPerMemory lets other memories fill the size',
      `${RETRIEVAL}: chunks of one memory: numbered, bounded, with neighbors`,
      `${EVENTS}: neighbors are up to so many before and after, in order`,
      `${EXACT}: lets other memories fill the size`,
    ),
    shown(
      'explain ends the stream with the times of the stages and how each space was scanned',
      `${RETRIEVAL}: explain ends the stream with what was done`,
      `${EVENTS}: explain comes last and says how each space was scanned`,
      `${CHAT}: explain comes after the reply, and tells the time of every stage`,
    ),
    shown(
      'Scores are weighted sums of cosines over all embedders, best first; weights of the request beat those of the space',
      `${EXACT}: the score is the weighted sum over all embedders, for candidates of any`,
      `${EXACT}: finds the nearest, best first, with the cosine as score`,
      `${EVENTS}: weights of the request beat those of the space`,
    ),
    shown(
      'A weight of 0 skips an embedder, a negative one pushes candidates down and brings none',
      `${RETRIEVAL}: weights: zero skips an embedder, a negative one turns the order round, a strange one is refused`,
      `${EVENTS}: one of two: PARTIAL_RESULTS names it and its spaces, and the other one serves`,
      `${EVENTS}: weight 0 for every embedder says that none counts`,
      `${EXACT}: a negative weight pushes candidates of the others down and brings none`,
      `${EXACT}: with negative weights alone the farthest are best`,
    ),
    shown(
      'Spaces are merged by score; of equal scores the newer memory comes first, then the chunk id decides',
      `${RETRIEVAL}: many spaces are one ranking`,
      `${EXACT}: the newer memory comes first, also where %i cuts equals apart`,
      `${EXACT}: chunks of one memory come by their id`,
    ),
    shown(
      'What is expired, deleted, or not COMPLETED is not found, and its place is filled',
      `${RETRIEVAL}: what is expired, deleted or not COMPLETED is not found`,
      `${EXACT}: hidden memories are, and the result is still full`,
      `${PARTITION}: hidden memories leave the result full`,
    ),
    shown(
      'A large space is searched through its index, with what came later, and nearly everything near is found',
      `${PARTITION}: is searched through the index, and nearly everything near is found`,
      `${PARTITION}: what comes later is found at once, among what the index has`,
      `${PARTITION}: a filter that few pass is answered from those alone, completely`,
    ),
    shown(
      'Statuses come first, in their order: the feature, settings, templates, the reranker, the LLM, then embedders',
      `${CHAT}: the feature, settings, templates, the reranker, the LLM`,
      `${EVENTS}: remarks of the post processor come before theirs`,
      `${CHAT}: an LLM that cannot chat`,
    ),
    shown(
      'Embedders: the cause of each, then EMBEDDER_FAILED and nothing found when it was the only one',
      `${EVENTS}: the only one with %s: its cause, then EMBEDDER_FAILED, then nothing found`,
    ),
    shown(
      'Spaces: VECTOR_SEARCH_FAILED, _TIMEOUT and _PARTIAL, and what was deleted or closed meanwhile, cost that space alone',
      `${EVENTS}: a search that fails is a remark, and the other spaces are served`,
      `${EXACT}: ends a search that the database holds up; others are served`,
      `${PARTITION}: a walk that ends too early says so`,
      `${CHAT}: the space is deleted: SPACE_NOT_FOUND`,
      `${CHAT}: the space is closed: SPACE_INACCESSIBLE, with fetchMemory %s`,
    ),
    shown(
      'Items that vanish while the call runs are left out, with a status',
      `${EVENTS}: a chunk is gone when it is to be loaded: CHUNK_NOT_FOUND, and the rest is served`,
      `${CHAT}: a memory is deleted: MEMORY_LOAD_FAILED, and the rest is served`,
    ),
    shown(
      'Nothing found is a whole stream, and asks neither reranker nor LLM',
      `${RETRIEVAL}: an empty space is an empty result set`,
      `${CHAT}: nothing found is nothing to rerank or to sum up`,
    ),
    shown(
      'The LLM gets one call with the temperature and budget of the config; the record supplies the rest',
      `${CHAT}: the built-in prompts hold the question, the conversation and the data`,
      `${CHAT}: token budget: %s`,
      `${CHAT}: the record's sampling values supply the rest, and its capabilities count`,
    ),
    shown(
      'Who asks for it gets the summary in pieces, and then as a whole',
      `${CHAT}: a summary that is wanted in pieces comes in pieces, and then as a whole`,
      `${CHAT}: pieces of a summary that fails are followed by the status`,
    ),
    shown(
      'Only the message is embedded; earlier turns reach the templates',
      `${CHAT}: the built-in prompts hold the question, the conversation and the data`,
      `${CHAT}: templates of the caller see every field of the results`,
    ),
    shown(
      'Templates reach nothing but their data, and print 1 MiB at most',
      'unit/server/workers/template/escapes.test.ts: templates cannot reach anything but their data',
      'unit/server/service/templates/prompt-templates.test.ts: prints 1 MiB and no byte more',
    ),
    shown(
      'Whoever leaves ends the work that was done for him, here and at the providers',
      'store/retrieval/departures.test.ts: a client that leaves after any event leaves nothing behind',
      'store/retrieval/departures.test.ts: a client that leaves ends the call that it waits for',
      'contract/retrieval/chat.scenarios.ts: a client that leaves while the LLM is asked ends its work',
    ),
    shown(
      'Custom post processors get the question, turns, results and config, and tools with the permissions of the caller',
      `${CUSTOM}: the question, the turns, the results and the config arrive`,
      `${CUSTOM}: candidates bound what the search brings`,
      `${CUSTOM}: rerank and complete with the permissions of the caller`,
    ),
    shown(
      'One that misbehaves takes neither the stream nor the server with it; a module that does not load ends the start',
      `${CUSTOM}: one that misbehaves takes neither the stream nor the server with it`,
      `${CUSTOM}: it refuses the config: 400 with its words`,
      'process/server/service/post-processors/load-modules.test.ts: a module that does not load is a problem of the configuration',
    ),
    shown(
      'Filters: every documented example means what the documentation says',
      'store/filter/examples.test.ts: the documented examples',
      'store/filter/examples.test.ts: are all of the documentation',
    ),
    shown(
      'Filters: random ones say of random metadata what a model of the language says',
      'store/filter/property.test.ts: random filters say of random metadata what the model says',
    ),
    shown(
      'Filters: no text of theirs enters the statement',
      'unit/server/store/filter/compile-filter.test.ts: keeps strings, numbers and paths out of the statement',
      'unit/server/store/filter/compile-filter.test.ts: takes no text from the filter',
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
      `${RETRIEVAL}: a filter is per space`,
      'contract/memories/lists.scenarios.ts: what does not fit is refused',
    ),
    shown(
      'Filters: 10,000 characters, 100 levels and 1000 items of a list',
      `${PARSE}: 10000 characters, counted as code points`,
      `${PARSE}: what is nested deeper is not: %.20s…`,
      `${PARSE}: 1000 items of a list`,
      `${VALUES}: the deepest and longest filters run`,
    ),
    planned('search: TEXT and HYBRID beside vectors, and adjacency', 'text and hybrid search'),
  ],
};
