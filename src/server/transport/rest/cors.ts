import type { FastifyReply, FastifyRequest } from 'fastify';

/** The response headers that scripts of a page may read beyond the few that are always readable. */
const EXPOSED = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Request-Id',
  'X-Service-Version',
  'Location',
  'Retry-After',
  'ETag',
  'Accept-Ranges',
  'Content-Disposition',
  'Content-Range',
  'Deprecation',
  'Sunset',
].join(', ');
const METHODS = 'GET, POST, PUT, PATCH, DELETE';
/** For a preflight that names none. */
const REQUEST_HEADERS = 'authorization, content-type, x-api-key, x-request-id';
/** Browsers cache a preflight for at most two hours, whatever this header says. */
const MAX_AGE_S = '7200';

/**
 * Lets pages of the given origins call the REST API. Keys travel in a header that no browser adds by itself, so a page
 * can only use a key that it was given: no credentials are allowed, and any request header is.
 */
export class Cors {
  readonly #origins: ReadonlySet<string>;

  constructor(origins: readonly string[]) {
    this.#origins = new Set(origins);
  }

  /** Allows the origin of the request on the response when it is one of the given origins; true then. */
  name(request: FastifyRequest, reply: FastifyReply): boolean {
    if (this.#origins.size === 0) return false;
    // On every response: a cache must not give an allowed origin the response to another one.
    reply.header('vary', 'Origin');
    const { origin } = request.headers;
    if (origin === undefined || !this.#origins.has(origin)) return false;
    reply.header('access-control-allow-origin', origin).header('access-control-expose-headers', EXPOSED);
    return true;
  }

  /** Answers a preflight; true then. Every other request goes on, with its origin allowed on the response. */
  answer(request: FastifyRequest, reply: FastifyReply): boolean {
    const isPreflight = request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined;
    if (!this.name(request, reply) || !isPreflight) return false;
    answerPreflight(request, reply);
    return true;
  }
}

function answerPreflight(request: FastifyRequest, reply: FastifyReply): void {
  reply
    .code(204)
    .header('vary', 'Origin, Access-Control-Request-Headers')
    .header('access-control-allow-methods', METHODS)
    .header('access-control-allow-headers', request.headers['access-control-request-headers'] ?? REQUEST_HEADERS)
    .header('access-control-max-age', MAX_AGE_S)
    .send();
}
