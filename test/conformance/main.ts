import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { CHAPTERS } from './chapters.ts';
import { missingTests } from './problems.ts';
import { renderConformance } from './render.ts';

const PAGE = fileURLToPath(new URL('../../docs/conformance.md', import.meta.url));
const TESTS = fileURLToPath(new URL('..', import.meta.url));

const missing = missingTests(CHAPTERS, TESTS);
writeFileSync(PAGE, renderConformance(CHAPTERS));
if (missing.length > 0) {
  process.stderr.write(`${missing.join('\n')}\n`);
  process.exitCode = 1;
}
