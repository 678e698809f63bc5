import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { noSuchRoute } from '../../../shared/errors.ts';
import { sendError } from './errors.ts';

/** The methods that each path of a server accepts. Must be created before the first route is added. */
export class KnownPaths {
  readonly #routes: { path: RegExp; methods: readonly string[] }[] = [];

  constructor(server: FastifyInstance) {
    server.addHook('onRoute', ({ url, method }) => {
      this.#routes.push({ path: pathPattern(url), methods: [method].flat() });
    });
  }

  methodsOf(url: string): string[] {
    const path = pathOf(url);
    return [...new Set(this.#routes.filter((route) => route.path.test(path)).flatMap(({ methods }) => methods))];
  }

  /** Refuses a request without a route, and names the methods that its path accepts, if any. */
  refuse(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const methods = this.methodsOf(request.url);
    if (methods.length > 0) reply.header('allow', methods.join(', '));
    const details = methods.length === 0 ? '' : `this path accepts ${methods.join(', ')}`;
    return sendError(reply, noSuchRoute(request.method, pathOf(request.url), details));
  }
}

/** The path of a URL, without its query. */
export function pathOf(url: string): string {
  return url.split('?', 1)[0] ?? '';
}

/** The paths that a route pattern of Fastify matches: `:name` is a segment, `::` a colon, `*` the rest. */
function pathPattern(url: string): RegExp {
  const source = url
    .replaceAll('::', '\0')
    .replace(/[.\\+?^${}|[\]]/g, '\\$&')
    .replace(/:\w+(\([^)]*\))?/g, '[^/:]+')
    .replace('*', '.*')
    .replaceAll('\0', ':');
  return new RegExp(`^${source}$`);
}

/** `{id}` becomes `:id`, with a pattern where a colon follows; a literal colon is written `::`. */
export function fastifyPath(path: string): string {
  return path
    .replaceAll(':', '::')
    .replace(/\{(\w+)\}(?=::)/g, ':$1([^/:]+)')
    .replace(/\{(\w+)\}/g, ':$1');
}
