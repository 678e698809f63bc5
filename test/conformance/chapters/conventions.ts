import { type Chapter, shown } from '../line.ts';

const HTTP = 'wires/rest/http.test.ts';
const BODIES = 'wires/rest/bodies.test.ts';
const STABILITY = 'contract/memories/list-stability.scenarios.ts';

export const CONVENTIONS: Chapter = {
  title: 'Conventions',
  lines: [
    shown(
      'Ids are made by the server, version 7, unless the creator gives one; a taken one is ALREADY_EXISTS',
      'contract/spaces/spaces.scenarios.ts: create answers with the whole record, and get with the same',
      'contract/identity/api-keys.scenarios.ts: an id may be given, once',
      'contract/spaces/spaces.scenarios.ts: an id may be given, once',
      'contract/targets/targets.scenarios.ts: an id may be given, once',
      'contract/identity/users.scenarios.ts: a taken id, email or username is told as such',
      'contract/memories/memories.scenarios.ts: a given id makes a create safe to repeat',
    ),
    shown(
      'Every create answers with the path of what it made; every delete answers once, and then NOT_FOUND',
      `${HTTP}: creates answer 201 with the path of what they made`,
      'wires/rest/content.test.ts: multipart: either order of the parts, the file name in the metadata, its type as the default',
      'contract/spaces/spaces.scenarios.ts: delete answers once',
      'contract/memories/memories.scenarios.ts: delete answers once',
      'contract/identity/users.scenarios.ts: delete: once, and the keys go at once',
      'contract/targets/targets.scenarios.ts: what is deleted is gone',
    ),
    shown(
      'The build time, the time of a license and the age of purged jobs are ISO 8601 text, all other times milliseconds',
      'unit/shared/json/encode.test.ts: times as epoch milliseconds, before 1970 too; as ISO text where declared',
      'contract/system/system.scenarios.ts: info names the commit and the time of a build from a clone',
      'contract/system/admin.scenarios.ts: reload-license tells what is in force',
      'contract/system/admin.scenarios.ts: purge needs a time that lies at least an hour back',
    ),
    shown(
      'Numbers and booleans of a body may be text; answers hold real ones',
      `${BODIES}: numbers and booleans may be decimal strings, and a byte order mark is no harm`,
      'unit/shared/json/encode.test.ts: int64 with all digits',
    ),
    shown(
      'An unknown member of a body is refused with its path, an unknown parameter of a query is not looked at',
      `${BODIES}: an unknown member is named with its path: %s`,
      `${HTTP}: query names come in both cases, camelCase wins, unknown ones are ignored`,
    ),
    shown(
      'null in a request is the same as left out, but data within metadata',
      `${BODIES}: no body is an empty object, and null is an unset member`,
      'contract/spaces/spaces.scenarios.ts: update keeps what is not given; null is the same as left out',
      'contract/memories/update.scenarios.ts: metadata is replaced or merged, member by member',
    ),
    shown(
      'Answers leave out what is unset and write defaults; the token behind the last page is null',
      'unit/shared/json/encode.test.ts: fields without presence are written, optional ones left out, an unspecified enum too',
      'unit/shared/json/encode.test.ts: the token after the last page is null',
      'contract/memories/chunks.scenarios.ts: a chunk is described as documented',
    ),
    shown(
      'Lists in a query are divided by commas or repeated, booleans are true, false, 1 or 0',
      'unit/shared/json/query.test.ts: lists, comma-separated and repeated',
      'unit/shared/json/query.test.ts: fields from a query',
    ),
    shown(
      'Lists are filtered by labels in two spellings, all of which must match',
      'contract/spaces/lists.scenarios.ts: label filters must all match',
      `${STABILITY}: a label filter has two forms in a query, and both bind the token`,
    ),
    shown(
      'Pages show what is there throughout exactly once, whatever comes and goes meanwhile',
      `${STABILITY}: … shows what is there throughout exactly once, whatever comes and goes`,
      'contract/spaces/lists.scenarios.ts: pages meet without gap or overlap in every order',
      'contract/spaces/lists.scenarios.ts: maxResults is clamped to its range',
    ),
    shown(
      'A token is opaque, URL-safe, and fits its caller, filters and order only',
      `${STABILITY}: a token of … fits its caller, filters and order only`,
      'unit/server/service/page-token.test.ts: give back any position, in URL-safe Base64 without padding',
      'unit/server/service/page-token.test.ts: cannot be made or changed without the key',
    ),
    shown(
      'What does not exist is NOT_FOUND, what may not be read is PERMISSION_DENIED, in this order',
      'contract/permissions/permissions.test.ts: who may, over %s',
      'contract/permissions/permissions.test.ts: the matrix has every operation',
    ),
    shown(
      'Route, key, limits, shape and fields are checked in this order, before permission',
      `${HTTP}: a route is looked for before the key, the key before everything else`,
      `${HTTP}: what a key may do is judged after what the request says`,
      `${BODIES}: a body beyond the limit is refused, with and without its length, after the key`,
      'contract/targets/targets.scenarios.ts: what is deleted is gone',
    ),
    shown(
      'Several bad fields are listed together, each with its path',
      'contract/identity/users.scenarios.ts: bad fields are all listed',
      'unit/shared/json/decode.test.ts: all of them at once, and no more than a hundred',
    ),
    shown(
      'An INTERNAL answer holds the id of its request and nothing else',
      'faults/internal-failure.postgres.test.ts: is 500 INTERNAL on both wires, with its reason in the log alone',
    ),
    shown(
      'Over gRPC code and details come in trailing metadata, percent-encoded',
      'wires/grpc/grpc.test.ts: headers carry the request id and the version, errors their code and details',
      'wires/grpc/grpc.test.ts: the google.rpc details say the same as the rest of the metadata',
      'wires/grpc/grpc.test.ts: what is taken is told with its kind, also of an item of a batch',
      'unit/server/transport/grpc/field-names.test.ts: details fit into metadata, whole characters each',
    ),
    shown(
      'A deadline that passes is DEADLINE_EXCEEDED',
      'wires/grpc/grpc.test.ts: a deadline that has passed is DEADLINE_EXCEEDED',
      'wires/rest/proxy.test.ts: no first byte in time, and a connection that breaks before it, are DEADLINE_EXCEEDED',
    ),
    shown(
      'Lengths of text are counted in code points',
      'contract/spaces/spaces.scenarios.ts: a name has 1 to 255 code points, however many UTF-16 units those are',
      'contract/retrieval/retrieval.scenarios.ts: bad requests are refused before any event',
    ),
    shown(
      'NUL is refused in what is stored, kept in content, dropped from its text, and taken in questions',
      'contract/nul-characters.test.ts: what is stored refuses it, and ids and tokens are not such',
      'contract/nul-characters.test.ts: a question may hold it, and so may what is said before and how it is answered',
      'contract/memories/memories.scenarios.ts: content comes back byte for byte, text as it was extracted',
    ),
    shown(
      'X-Request-Id is taken or made, and X-Service-Version told, on every response and over gRPC',
      `${HTTP}: X-Request-Id is taken when it is fit to be shown, else made`,
      `${HTTP}: every response tells the version`,
      'wires/grpc/grpc.test.ts: headers carry the request id and the version, errors their code and details',
    ),
    shown(
      'The OpenAPI document needs no key, is the same at both addresses, and describes exactly what is routed',
      'wires/rest/openapi.test.ts: the description is served without a key, the same at both addresses',
      'wires/rest/openapi.test.ts: every path and method that it describes is routed',
      'unit/server/openapi/document.test.ts: is a valid OpenAPI 3.1 document',
      'unit/server/openapi/document.test.ts: describes every route of the table, and no other below /v1 than the proxy and itself',
    ),
    shown(
      'CORS is off unless origins are named; then preflights need no key and count for nobody',
      'unit/server/transport/rest/cors.test.ts: without origins nothing is said of them',
      'unit/server/transport/rest/cors.test.ts: a preflight for %s is answered without a key',
      'unit/server/transport/rest/cors.test.ts: a preflight counts for nobody',
      'unit/server/transport/rest/cors.test.ts: %s names the origin and shows its headers',
      'contract/rate-limits.test.ts: pages of the origins of the flags may call',
    ),
    shown('/v1/default is no path of the server', `${HTTP}: no such route: %s`),
    shown(
      'What holds a key, and every stream, is not to be kept by caches',
      'unit/server/transport/rest/headers.test.ts: nobody may keep an answer with a key in it',
      'wires/rest/streams.test.ts: streams are not to be stored by caches and carry the headers of every response',
    ),
    shown(
      'An idle SSE stream sends a comment every 15 seconds',
      'unit/server/transport/rest/stream.test.ts: an idle SSE stream sends a comment every 15 seconds, an idle NDJSON one nothing',
    ),
  ],
};
