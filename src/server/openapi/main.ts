/** Writes the OpenAPI document of this version to `docs/openapi.json`: `npm run gen`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openApiDocument } from './document.ts';

const ROOT = new URL('../../../', import.meta.url);

const { version } = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8'));
const document = openApiDocument(version);
writeFileSync(fileURLToPath(new URL('docs/openapi.json', ROOT)), `${JSON.stringify(document, undefined, 2)}\n`);
