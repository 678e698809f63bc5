/** Writes the man pages and the Markdown reference of the command line from the records: `npm run gen`. */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ENTRIES } from '../registry.ts';
import { manSource } from './man-page.ts';
import { manPages } from './pages.ts';
import { reference } from './reference.ts';

const MAN = fileURLToPath(new URL('../../../man', import.meta.url));
const REFERENCE = fileURLToPath(new URL('../../../docs/cli.md', import.meta.url));

const pages = await manPages(ENTRIES);
mkdirSync(MAN, { recursive: true });
// The page of a removed command is deleted.
for (const file of readdirSync(MAN)) if (!pages.has(file)) rmSync(join(MAN, file));
for (const [file, page] of pages) writeFileSync(join(MAN, file), manSource(page));
writeFileSync(REFERENCE, await reference(ENTRIES));
