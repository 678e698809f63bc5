import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';

/** Takes the response over from Fastify and sends status and headers: from here on bytes go out as they come. */
export function takeOver(reply: FastifyReply): ServerResponse {
  reply.hijack();
  const headers = Object.entries(reply.getHeaders()).filter(([, value]) => value !== undefined);
  reply.raw.writeHead(reply.statusCode, Object.fromEntries(headers.map(([name, value]) => [name, String(value)])));
  return reply.raw;
}
