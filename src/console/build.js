// @ts-check
// Puts the pages that the server serves below /console/ into dist/console: our own files and the viewer of the API
// description, each also compressed. What is there already and not older than its source is left alone.
import { copyFile, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const source = fileURLToPath(new URL('./reference/', import.meta.url));
const target = fileURLToPath(new URL('../../dist/console/', import.meta.url));
const viewer = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

const OWN = ['index.html', 'reference.js', 'reference.css', 'favicon.svg'];
const VIEWER = ['swagger-ui-bundle.js', 'swagger-ui.css'];
/** The terms of the viewer and of what is inside it, with names that say what they belong to. */
const TERMS = {
  LICENSE: 'swagger-ui.LICENSE.txt',
  NOTICE: 'swagger-ui.NOTICE.txt',
  'swagger-ui-bundle.js.LICENSE.txt': 'swagger-ui-bundle.js.LICENSE.txt',
};

/** @param {string} path */
async function changedMs(path) {
  return (await stat(path).catch(() => undefined))?.mtimeMs ?? 0;
}

/** @param {string} to @param {Buffer} body */
async function writeCompressed(to, body) {
  // Quality 9 is within 4 percent of 11 here, in a tenth of the time.
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
  await writeFile(`${to}.br`, await promisify(brotliCompress)(body, quality));
  await writeFile(`${to}.gz`, await promisify(gzip)(body, { level: 9 }));
}

/** @param {string} from @param {string} to */
async function place(from, to) {
  if ((await changedMs(to)) >= (await changedMs(from)) && (await changedMs(`${to}.gz`)) > 0) return;
  await copyFile(from, to);
  await writeCompressed(to, await readFile(to));
}

await mkdir(join(target, 'reference'), { recursive: true });
await Promise.all([
  ...OWN.map((name) => place(join(source, name), join(target, 'reference', name))),
  ...VIEWER.map((name) => place(join(viewer, name), join(target, 'reference', name))),
  ...Object.entries(TERMS).map(([name, to]) => place(join(viewer, name), join(target, 'reference', to))),
]);
// Until there is a console, its first page is the reference: the same page, whose files lie one level down.
const page = await readFile(join(source, 'index.html'), 'utf8');
const first = Buffer.from(
  page.replace('<meta charset="utf-8">', '<meta charset="utf-8">\n    <base href="reference/">'),
);
await writeFile(join(target, 'index.html'), first);
await writeCompressed(join(target, 'index.html'), first);
