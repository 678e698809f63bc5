import type { FastifyReply, FastifyRequest } from 'fastify';
import { isCached } from './content.ts';

/** A response that is the same for everybody, held in memory in the encodings that it comes in. */
export interface StaticFile {
  contentType: string;
  /** In quotes, the same for every encoding. */
  etag: string;
  body: Buffer;
  /** Best first. */
  encoded: readonly { encoding: 'br' | 'gzip'; body: Buffer }[];
}

/** Sends the smallest form that the client takes. Caches keep it and ask each time whether it is still so. */
export async function sendStatic(request: FastifyRequest, reply: FastifyReply, file: StaticFile): Promise<void> {
  const accepted = acceptedEncodings(request.headers['accept-encoding'] ?? '');
  const encoded = file.encoded.find(({ encoding }) => accepted.has(encoding));
  const vary = reply.getHeader('vary');
  reply
    .header('etag', `W/${file.etag}`)
    .header('cache-control', 'no-cache')
    .header('vary', vary === undefined ? 'Accept-Encoding' : `${vary}, Accept-Encoding`)
    .header('x-content-type-options', 'nosniff');
  if (isCached(request.headers['if-none-match'], file.etag)) {
    await reply.code(304).send();
    return;
  }
  reply.header('content-type', file.contentType);
  if (encoded !== undefined) reply.header('content-encoding', encoded.encoding);
  await reply.send((encoded ?? file).body);
}

/** The encodings that are named and not refused with q=0. */
function acceptedEncodings(header: string): ReadonlySet<string> {
  const entries = header.split(',').map((entry) => entry.toLowerCase().split(';'));
  const accepted = entries.filter(([, ...parameters]) => !parameters.some((each) => /^\s*q=0(\.0*)?\s*$/.test(each)));
  return new Set(accepted.map(([name = '']) => name.trim()));
}
