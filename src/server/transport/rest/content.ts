import { create } from 'content-disposition';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { drained } from '../../../shared/async/abort.ts';
import type { ContentSource } from '../../context.ts';
import { breakOff, type ReplyContext, takeOver } from './raw.ts';

interface Range {
  start: number;
  /** Exclusive. */
  end: number;
}

/**
 * Sends a stored document with its own media type, its SHA-256 as ETag, and support for one byte range. Users upload
 * it, so a browser must neither guess its type nor run scripts in it.
 */
export async function sendContent(
  request: FastifyRequest,
  reply: FastifyReply,
  source: ContentSource,
  context: ReplyContext,
): Promise<void> {
  const etag = source.sha256 === undefined ? undefined : `"${source.sha256}"`;
  reply
    .header('content-type', source.contentType)
    .header('x-content-type-options', 'nosniff')
    .header('content-security-policy', 'sandbox')
    .header('accept-ranges', 'bytes')
    .header('content-disposition', contentDisposition(source.filename));
  if (etag !== undefined) reply.header('etag', etag);
  if (etag !== undefined && isCached(request.headers['if-none-match'], etag)) {
    await reply.code(304).send();
    return;
  }
  const range = requestedRange(request, source, etag);
  if (range === 'unsatisfiable') {
    await reply.code(416).header('content-range', `bytes */${source.length}`).send();
    return;
  }
  if (range !== undefined) reply.header('content-range', `bytes ${range.start}-${range.end - 1}/${source.length}`);
  const { start, end } = range ?? { start: 0, end: source.length };
  reply.code(range === undefined ? 200 : 206).header('content-length', String(end - start));
  if (request.method === 'HEAD') {
    takeOver(reply).end();
    return;
  }
  await pipe(reply, source.read(start, end), context);
}

/** Whether If-None-Match matches: any tag of a list, weak or not, or `*`. */
export function isCached(ifNoneMatch: string | undefined, etag: string): boolean {
  const known = (ifNoneMatch ?? '').split(',').map((entry) => entry.trim().replace(/^W\//, ''));
  return known.includes(etag) || known.includes('*');
}

async function pipe(reply: FastifyReply, pieces: AsyncIterable<Uint8Array>, context: ReplyContext): Promise<void> {
  const iterator = pieces[Symbol.asyncIterator]();
  // The first piece is read before the headers leave: a failure until then is still a normal response.
  let next = await iterator.next();
  const raw = takeOver(reply);
  try {
    while (next.done !== true) {
      if (!raw.write(next.value)) await drained(raw, context.signal);
      next = await iterator.next();
    }
    raw.end();
  } catch (error) {
    breakOff(raw, error, context);
  } finally {
    await iterator.return?.();
  }
}

/** The one range of the request; several ranges, other units and a stale If-Range mean the whole document. */
function requestedRange(
  request: FastifyRequest,
  { length }: ContentSource,
  etag: string | undefined,
): Range | 'unsatisfiable' | undefined {
  if (request.method === 'HEAD') return undefined;
  const ifRange = request.headers['if-range'];
  if (ifRange !== undefined && ifRange !== etag) return undefined;
  const match = /^bytes=(\d*)-(\d*)$/.exec(request.headers.range ?? '');
  if (match === null) return undefined;
  const [, first = '', last = ''] = match;
  if (first === '' && last === '') return undefined;
  if (first === '') {
    const suffix = Math.min(Number(last), length);
    return suffix === 0 ? 'unsatisfiable' : { start: length - suffix, end: length };
  }
  const start = Number(first);
  const end = last === '' ? length : Math.min(Number(last) + 1, length);
  if (start >= length) return 'unsatisfiable';
  return end <= start ? undefined : { start, end };
}

/** In code points; percent-encoded they stay far below what clients take as a header. */
const MAX_LENGTH = 200;

/** Characters that reverse the direction of text, which can make one extension look like another. */
const DIRECTION_MARKS = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Tells a browser to save a document under its own name instead of showing it. The name is text of the user who
 * uploaded it: only its last path segment is used, so that it names no other directory, without invisible characters.
 */
export function contentDisposition(filename: string | undefined): string {
  const last = (filename ?? '').split(/[/\\]/).at(-1) ?? '';
  const visible = last.replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/gu, '').replace(DIRECTION_MARKS, '');
  // The end holds the extension.
  const name = [...visible.trim()].slice(-MAX_LENGTH).join('');
  return create(/^\.*$/.test(name) ? undefined : name);
}
