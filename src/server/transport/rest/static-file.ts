import type { FastifyReply, FastifyRequest } from 'fastify';
import { accepts, addVary } from './compression.ts';
import { isCached } from './content.ts';

/** A response that is the same for all clients, held in memory in each encoding. */
export interface StaticFile {
  contentType: string;
  /** In quotes, the same for every encoding. */
  etag: string;
  body: Buffer;
  /** Best first. */
  encoded: readonly { encoding: 'br' | 'gzip'; body: Buffer }[];
}

/** Sends the best encoding that the client accepts. Caches may keep it and revalidate it each time. */
export async function sendStatic(request: FastifyRequest, reply: FastifyReply, file: StaticFile): Promise<void> {
  const encoded = file.encoded.find(({ encoding }) => accepts(request, encoding));
  addVary(reply, 'Accept-Encoding');
  reply
    .header('etag', `W/${file.etag}`)
    .header('cache-control', 'no-cache')
    .header('x-content-type-options', 'nosniff');
  if (isCached(request.headers['if-none-match'], file.etag)) {
    await reply.code(304).send();
    return;
  }
  reply.header('content-type', file.contentType);
  if (encoded !== undefined) reply.header('content-encoding', encoded.encoding);
  await reply.send((encoded ?? file).body);
}
