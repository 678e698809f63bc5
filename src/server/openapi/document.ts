import { OPERATIONS } from '../../shared/operations/table.ts';
import { TAGS } from './areas.ts';
import { Components } from './components.ts';
import { ERROR_SCHEMA } from './error-responses.ts';
import { HEADERS } from './headers.ts';
import { INTRODUCTION } from './introduction.ts';
import { addOtherRoutes } from './operational.ts';
import { addOperations, type Sections } from './operations.ts';
import type { Part } from './schema.ts';
import { SECURITY_SCHEMES } from './security.ts';

/** The OpenAPI 3.1 document of the REST side of that version, from the operations table, the descriptors and their comments. */
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
