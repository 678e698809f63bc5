import { type Chapter, planned, shown } from '../line.ts';

const APPLIANCE = 'packaging and the VM appliance';

export const DEPLOYMENT: Chapter = {
  title: 'Deployment and versioning',
  lines: [
    shown(
      'PostgreSQL 17 with the vector extension and the privilege to create is required; else a sentence and exit 78',
      'faults/database-start.test.ts: permanent faults end with 78 and a sentence',
      'faults/database-start.test.ts: missing privileges of the role',
    ),
    shown(
      'An empty database is enough: the schema is made at the first start',
      'store/database/template.test.ts: the migrations apply, and every copy of the template is a database of its own',
      'faults/database-start.test.ts: servers that race to migrate one database all start',
    ),
    planned('Instance metadata: service-database-url', APPLIANCE),
    planned('Instance metadata: service-tls-mode with self-signed, disabled, byo and acme', APPLIANCE),
    planned('/etc/service/service-user.env is loaded after the settings from metadata', APPLIANCE),
    shown(
      'SERVICE_OOXML_LIMITS_JSON is read and checked',
      'unit/server/settings/value-type.test.ts: keep the defaults of the keys left out',
      'unit/server/settings/value-type.test.ts: refuse %s',
    ),
    planned('SERVICE_OOXML_LIMITS_JSON bounds DOCX, PPTX and XLSX', 'documents and OCR'),
    planned('The appliance opens ports 8080 and 9090', APPLIANCE),
    shown(
      'Every operation lives under /v1, except the operational paths',
      'wires/rest/http.test.ts: no such route: %s',
      'unit/server/openapi/document.test.ts: describes every route of the table, and no other below /v1 than the proxy and itself',
    ),
    shown(
      'The client accepts hosts with the segment /v1/default',
      'unit/cli/kit/client/tls-ladder.test.ts: addresses',
      'unit/cli/kit/client/tls-ladder.test.ts: http:// is plaintext only, silently',
    ),
    shown(
      'A newer server on the same database brings its schema up to date at start',
      'faults/upgrade.test.ts: a database of schema %s',
      'faults/upgrade.test.ts: memories read as before, with content, history and text',
    ),
  ],
};
