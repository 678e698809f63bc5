import { type Chapter, shown } from '../line.ts';

const HTTP = 'wires/rest/http.test.ts';
const BODIES = 'wires/rest/bodies.test.ts';
const STABILITY = 'contract/memories/list-stability.scenarios.ts';

export const CONVENTIONS: Chapter = {
  title: 'Conventions',
  lines: [
    shown(
      'Ids are UUIDs of version 7 from the server, unless the caller gives one; a taken one is ALREADY_EXISTS',
      'contract/spaces/spaces.scenarios.ts: create answers with the whole record, and get with the same',
      'contract/identity/api-keys.scenarios.ts: an id may be given, once',
      'contract/spaces/spaces.scenarios.ts: an id may be given, once',
      'contract/targets/targets.scenarios.ts: an id may be given, once',
      'contract/identity/users.scenarios.ts: a taken id, email or username is ALREADY_EXISTS',
      'contract/memories/memories.scenarios.ts: an id that the client gives makes a create idempotent',
    ),
    shown(
      'Every create answers with the Location of the new resource; a second delete is NOT_FOUND',
      `${HTTP}: creates answer 201 with the Location of the new resource`,
      'wires/rest/content.test.ts: multipart: either order of the parts, the file name in the metadata, its type as the default',
      'contract/spaces/spaces.scenarios.ts: a second delete is NOT_FOUND',
      'contract/memories/memories.scenarios.ts: a second delete is NOT_FOUND',
      'contract/identity/users.scenarios.ts: delete: once, and the keys are refused at once',
      'contract/targets/targets.scenarios.ts: a deleted target is NOT_FOUND',
    ),
    shown(
      'The build time, the time of a license and the age of purged jobs are ISO 8601 text, all other times milliseconds',
      'unit/shared/json/encode.test.ts: times as epoch milliseconds, before 1970 too; as ISO text where declared',
      'contract/system/system.scenarios.ts: info names the commit and the time of a build from a clone',
      'contract/system/admin.scenarios.ts: reload-license reports the license in effect',
      'contract/system/admin.scenarios.ts: purge needs a time that lies at least an hour back',
    ),
    shown(
      'Numbers and booleans of a body may be text; answers hold real ones',
      `${BODIES}: numbers and booleans may be strings, and a byte order mark is skipped`,
      'unit/shared/json/encode.test.ts: int64 with all digits',
    ),
    shown(
      'An unknown member of a body is refused with its path, an unknown parameter of a query is ignored',
      `${BODIES}: an unknown member is named with its path: %s`,
      `${HTTP}: query names come in both cases, camelCase wins, unknown ones are ignored`,
    ),
    shown(
      'null in a request counts as omitted, except within metadata',
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
      'Pages show every record that exists throughout exactly once, whatever is created and deleted meanwhile',
      `${STABILITY}: … shows what is there throughout exactly once, whatever comes and goes`,
      'contract/spaces/lists.scenarios.ts: pages have no gap or overlap in any order',
      'contract/spaces/lists.scenarios.ts: maxResults is clamped to its range',
    ),
    shown(
      'A token is opaque, URL-safe, and valid for its caller, filters and order only',
      `${STABILITY}: a token of … is valid for its caller, filters and order only`,
      'unit/server/service/page-token.test.ts: round-trip any position, in URL-safe Base64 without padding',
      'unit/server/service/page-token.test.ts: cannot be forged without the key',
    ),
    shown(
      'A missing resource is NOT_FOUND, an unreadable one PERMISSION_DENIED, in this order',
      'contract/permissions/permissions.test.ts: operations by caller, over %s',
      'contract/permissions/permissions.test.ts: the matrix has every operation',
    ),
    shown(
      'Route, key, limits, shape and fields are checked in this order, before permission',
      `${HTTP}: the route is checked before the key, the key before everything else`,
      `${HTTP}: permissions are checked after the fields`,
      `${BODIES}: a body beyond the limit is refused, with and without its length, after the key`,
      'contract/targets/targets.scenarios.ts: a deleted target is NOT_FOUND',
    ),
    shown(
      'All invalid fields are listed together, each with its path',
      'contract/identity/users.scenarios.ts: bad fields are all listed',
      'unit/shared/json/decode.test.ts: all violations at once, and at most a hundred',
    ),
    shown(
      'An INTERNAL answer holds the id of its request and nothing else',
      'faults/internal-failure.postgres.test.ts: is 500 INTERNAL on both wires, with its cause in the log alone',
    ),
    shown(
      'Over gRPC code and details come in trailing metadata, percent-encoded',
      'wires/grpc/metadata.test.ts: headers carry the request id and the version, errors their code and details',
      'wires/grpc/metadata.test.ts: the google.rpc details say the same as the rest of the metadata',
      'wires/grpc/metadata.test.ts: ALREADY_EXISTS names the kind of resource, also of an item of a batch',
      'unit/server/transport/grpc/field-names.test.ts: details fit into metadata and end at whole characters',
    ),
    shown(
      'A deadline that passes is DEADLINE_EXCEEDED',
      'wires/grpc/grpc.test.ts: a deadline that has passed is DEADLINE_EXCEEDED',
      'wires/rest/proxy.test.ts: a time-out of the first byte, and a connection that breaks before it, are DEADLINE_EXCEEDED',
    ),
    shown(
      'Lengths of text are counted in code points',
      'contract/spaces/spaces.scenarios.ts: a name has 1 to 255 code points, however many UTF-16 units those are',
      'contract/retrieval/retrieval.scenarios.ts: bad requests are refused before any event',
    ),
    shown(
      'NUL is refused in stored fields, kept in content, dropped from its text, and accepted in questions',
      'contract/nul-characters.test.ts: is INVALID_ARGUMENT in stored fields, ids and tokens',
      'contract/nul-characters.test.ts: is accepted in questions, earlier turns and prompts',
      'contract/memories/memories.scenarios.ts: content comes back byte for byte, text as it was extracted',
    ),
    shown(
      'Every response has X-Request-Id, of the client or generated, and X-Service-Version, over gRPC too',
      `${HTTP}: a valid X-Request-Id is used, else one is generated`,
      `${HTTP}: every response has X-Service-Version`,
      'wires/grpc/metadata.test.ts: headers carry the request id and the version, errors their code and details',
    ),
    shown(
      'The OpenAPI document needs no key, is the same at both addresses, and describes exactly what is routed',
      'wires/rest/openapi.test.ts: the description is served without a key, the same at both addresses',
      'wires/rest/openapi.test.ts: every path and method that it describes is routed',
      'unit/server/openapi/document.test.ts: is a valid OpenAPI 3.1 document',
      'unit/server/openapi/document.test.ts: describes every route of the table, and no other below /v1 than the proxy and itself',
    ),
    shown(
      'CORS is off without configured origins; with them preflights need no key and count against no rate limit',
      'unit/server/transport/rest/cors.test.ts: without configured origins there are no CORS headers',
      'unit/server/transport/rest/cors.test.ts: a preflight for %s is answered without a key',
      'unit/server/transport/rest/cors.test.ts: a preflight counts against no rate limit',
      'unit/server/transport/rest/cors.test.ts: %s allows the origin and exposes its headers',
      'contract/rate-limits.test.ts: CORS allows the origins of the flags',
    ),
    shown('/v1/default is no path of the server', `${HTTP}: no such route: %s`),
    shown(
      'Responses with a key, and every stream, are no-store',
      'unit/server/transport/rest/rest.test.ts: a response with a key is no-store',
      'wires/rest/streams.test.ts: streams are no-store and have the headers of every response',
    ),
    shown(
      'An idle SSE stream sends a comment every 15 seconds',
      'unit/server/transport/rest/stream.test.ts: an idle SSE stream sends a comment every 15 seconds, an idle NDJSON stream nothing',
    ),
  ],
};
