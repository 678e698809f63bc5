import { MAX_HEAD_BYTES } from '../../shared/operations/routes.ts';
import { OPERATIONS } from '../../shared/operations/table.ts';
import { TAGS } from './areas.ts';
import { Components } from './components.ts';
import { ERROR_SCHEMA } from './error-responses.ts';
import { HEADERS } from './headers.ts';
import { addOtherRoutes } from './operational.ts';
import { addOperations, type Sections } from './operations.ts';
import type { Part } from './schema.ts';
import { SECURITY_SCHEMES } from './security.ts';

/** What holds for every operation, as the description of the whole document. */
const INTRODUCTION = `
Memories go into spaces, are split into chunks, and each chunk is embedded; a question is embedded too, and the nearest
chunks stream back.

**Keys.** Send \`x-api-key: <key>\` or \`Authorization: Bearer <key>\`; when both are there, \`x-api-key\` counts.

**Errors.** Every error has the body \`{"error": {"code", "message", "details"}}\`. Several bad fields are listed together in
\`details\`, as \`path: problem\`.

**Values.** Identifiers are UUIDs. Times are epoch milliseconds. Integers are written with all their digits, also beyond 2^53.
A body may give a number as a decimal string and a boolean as \`"true"\` or \`"false"\`; \`null\` counts as left out. Enum values
are accepted with and without the prefix of their enum. An unknown member of a body is refused. In responses, unset optional
members are left out and default values are written. Clients must ignore members and enum values that they do not know.

**Queries.** Names are accepted in camelCase, as listed here, and in snake_case (\`max_results\`); camelCase wins. Booleans are
\`true\`, \`false\`, \`1\` or \`0\`; lists are separated by commas or repeated. \`label[key]=value\` is also written
\`label.key=value\`. Unknown names are ignored.

**Pages.** \`maxResults\` bounds a page; its \`nextToken\` asks for the next one and is \`null\` on the last. A token belongs to its
caller, filters and order.

**Streams.** With \`Accept: text/event-stream\` each event is an SSE frame \`event: item\` with a line \`data:\` of JSON, and the
last frame is \`event: close\` with \`{"type":"completed"}\`. Otherwise events come as NDJSON, one object a line. Before the first
event an error is an ordinary response; after it the connection closes. A server started with \`--sdk-events\` writes
\`retrievedItem\` as client libraries nest it, with the negative of the score in the stage \`vector_search\`, and the message of
an error a second time beside \`error\`; everything else is the same.

**HTTP.** HEAD is supported wherever GET is. A path requested with a method that it does not support is answered with 404 and \`Allow\`. Answers are
compressed for \`Accept-Encoding: gzip\`, streams event by event; a compressed request body is 415. Path, query and headers
have at most ${MAX_HEAD_BYTES} bytes together; beyond that the answer is 431.

**Versions.** Below \`/v1\` things are only added. Nothing is pushed: there are no webhooks.
`.trim();

/** The OpenAPI 3.1 document of the REST API, from the operations table, the descriptors and their comments. */
export function openApiDocument(version: string): Part {
  const uses = Object.values(OPERATIONS).map(({ rpc }) => rpc);
  const sections: Sections = { paths: {}, components: new Components(uses), responses: {} };
  sections.components.add('Error', ERROR_SCHEMA);
  addOperations(sections);
  addOtherRoutes(sections);
  return {
    openapi: '3.1.1',
    info: {
      title: 'svc, a memory service',
      summary: 'Store what people and their assistants want to remember, and find it again by meaning.',
      description: INTRODUCTION,
      version,
      license: { name: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The server that answers with this document.' }],
    tags: [...TAGS],
    paths: sections.paths,
    components: {
      schemas: sorted(sections.components.schemas),
      responses: sorted(sections.responses),
      headers: HEADERS,
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

function sorted(members: Readonly<Record<string, Part>>): Part {
  return Object.fromEntries(Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1)));
}
