import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../../shared/errors.ts';
import { PACKAGE_ROOT } from '../../../shared/package-root.ts';
import { type StaticFile, sendStatic } from './static-file.ts';

const CONSOLE = fileURLToPath(new URL('dist/console/', PACKAGE_ROOT));
const INDEX = 'index.html';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
};

/** Everything is loaded from this server and nothing is inline. Images in style sheets are data URLs. */
const SECURITY_POLICY = [
  "default-src 'self'",
  "img-src 'self' data:",
  "object-src 'none'",
  "base-uri 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * Serves the built pages below `/console/`, without a key. Files are read once and looked up by name, so that no path
 * can leave their directory.
 */
export function addConsoleRoutes(server: FastifyInstance, directory: string = CONSOLE): void {
  let files: Promise<ReadonlyMap<string, StaticFile>> | undefined;
  const send = async (request: FastifyRequest, reply: FastifyReply) => {
    files ??= readFiles(directory);
    const name = (request.params as { '*': string })['*'];
    const file = (await files).get(name === '' || name.endsWith('/') ? `${name}${INDEX}` : name);
    if (file === undefined) throw await notFound(files, name);
    reply
      .header('content-security-policy', SECURITY_POLICY)
      .header('referrer-policy', 'no-referrer')
      .header('cross-origin-opener-policy', 'same-origin');
    await sendStatic(request, reply, file);
    return reply;
  };
  const method = ['GET', 'HEAD'];
  // Temporary, because browsers would keep a permanent redirect for another service on the same port.
  server.route({ method, url: '/', handler: (_request, reply) => reply.redirect('/console/', 302) });
  server.route({ method, url: '/console', handler: (_request, reply) => reply.redirect('/console/', 308) });
  server.route({ method, url: '/console/*', handler: send });
}

async function notFound(files: Promise<ReadonlyMap<string, StaticFile>>, name: string): Promise<ServiceError> {
  if ((await files).size > 0) return new ServiceError('NOT_FOUND', `No such file: /console/${name}`);
  return new ServiceError('NOT_FOUND', 'The console has not been built', { details: 'build it with: npm run build' });
}

/** The files by their path below the directory; none where the build has not been run. */
async function readFiles(directory: string): Promise<ReadonlyMap<string, StaticFile>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => []);
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const names = new Set(paths.map((path) => path.slice(directory.length).replaceAll('\\', '/')));
  // Without an index the build has not been run: the sources alone are no pages.
  if (!names.has(INDEX)) return new Map();
  const read = [...names].flatMap((name) => {
    const contentType = TYPES[extname(name)];
    return contentType === undefined ? [] : [readOne(directory, name, contentType, names)];
  });
  return new Map(await Promise.all(read));
}

async function readOne(
  directory: string,
  name: string,
  contentType: string,
  names: ReadonlySet<string>,
): Promise<[string, StaticFile]> {
  const read = (suffix: string) => readFile(join(directory, `${name}${suffix}`));
  const body = await read('');
  const encodings = ENCODINGS.filter(({ suffix }) => names.has(`${name}${suffix}`));
  const encoded = await Promise.all(
    encodings.map(async ({ encoding, suffix }) => ({ encoding, body: await read(suffix) })),
  );
  return [name, { contentType, etag: `"${createHash('sha256').update(body).digest('hex')}"`, body, encoded }];
}

const ENCODINGS = [
  { encoding: 'br', suffix: '.br' },
  { encoding: 'gzip', suffix: '.gz' },
] as const;
