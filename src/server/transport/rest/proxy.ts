import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { drained } from '../../../shared/async/abort.ts';
import { PROXY_OPERATION } from '../../../shared/operations/table.ts';
import { requireUnrestricted } from '../../service/permission.ts';
import type { ProxyAnswer } from '../../service/proxy/proxy.ts';
import type { Calls } from '../calls.ts';
import { admit } from './admission.ts';
import { bodyTooLarge } from './body.ts';
import { fastifyPath } from './paths.ts';
import { breakOff, takeOver } from './raw.ts';

/** Adds the proxy in a scope of its own, in which bodies of every type stay streams. */
export function addProxyRoute(server: FastifyInstance, calls: Calls, maxBodyBytes: number): void {
  server.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
    scope.route({
      method: [...PROXY_OPERATION.methods],
      url: fastifyPath(PROXY_OPERATION.path),
      onRequest: (request, reply) => admit(calls, PROXY_OPERATION, request, reply),
      handler: async (request, reply) => {
        await passOn(calls, request, reply, maxBodyBytes);
        return reply;
      },
    });
  });
}

async function passOn(calls: Calls, request: FastifyRequest, reply: FastifyReply, maxBodyBytes: number): Promise<void> {
  const context = request.call?.context;
  if (context === undefined) throw new Error('the proxy ran without admission');
  const { kind = '', id = '' } = request.params as Record<string, string>;
  reply.raw.once('finish', () => takeRest(request));
  const body = bodyOf(request, maxBodyBytes);
  requireUnrestricted(context);
  const answer = await calls.proxy(
    { kind, id, rest: restOf(request.raw.url ?? ''), method: request.method, headers: request.headers, body },
    context,
  );
  await sendAnswer(reply, answer, { signal: context.signal, log: context.log, report: request.report });
}

/** What follows the kind and the id in the URL, as the client wrote it. */
function restOf(url: string): string {
  return /^\/v1\/proxy\/[^/?]*\/[^/?]*\/(.*)$/s.exec(url)?.[1] ?? '';
}

/** The body as it arrives, up to the limit. Throws PAYLOAD_TOO_LARGE at once when Content-Length exceeds it. */
function bodyOf({ body, headers }: FastifyRequest, maxBytes: number): AsyncIterable<Uint8Array> | undefined {
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw bodyTooLarge(maxBytes);
  if (body === undefined || body === null || headers['content-length'] === '0') return undefined;
  return bounded((body as Readable).iterator({ destroyOnReturn: false }), maxBytes);
}

/** How long a client may go on sending after the answer is complete. */
const LINGER_MS = 30_000;

/**
 * Reads and drops the rest of the body: an answer may be complete before the body, and many clients read it only after
 * they have sent everything.
 */
function takeRest({ raw }: FastifyRequest): void {
  // Unlike `resume` alone, a listener also receives data after the reader of the body has stopped.
  raw.on('data', () => {}).resume();
  if (raw.complete) return;
  const timer = setTimeout(() => raw.socket.destroy(), LINGER_MS).unref();
  raw.once('close', () => clearTimeout(timer));
}

async function* bounded(body: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array> {
  let length = 0;
  for await (const part of body) {
    length += part.byteLength;
    if (length > maxBytes) throw bodyTooLarge(maxBytes);
    yield part;
  }
}

async function sendAnswer(
  reply: FastifyReply,
  answer: ProxyAnswer,
  context: Parameters<typeof breakOff>[2],
): Promise<void> {
  try {
    setHeaders(reply, answer.headers);
    const raw = takeOver(reply, answer.status);
    // The headers of a stream may come long before its first byte.
    raw.flushHeaders();
    try {
      for await (const part of answer.body) if (!raw.write(part)) await drained(raw, context.signal);
      raw.end();
    } catch (error) {
      breakOff(raw, error, context);
    }
  } finally {
    answer.close();
  }
}

/** Sets the headers of the provider, and those that keep a browser from running its pages as pages of this server. */
function setHeaders(reply: FastifyReply, { vary, ...headers }: ProxyAnswer['headers']): void {
  for (const [name, value] of Object.entries(headers)) reply.header(name, value);
  // The headers that this server's own response varies with stay listed.
  if (vary !== undefined) reply.header('vary', [reply.getHeader('vary') ?? [], vary].flat().join(', '));
  reply.header('x-content-type-options', 'nosniff').header('content-security-policy', 'sandbox');
}
