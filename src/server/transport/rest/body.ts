import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../../shared/errors.ts';
import { OPERATIONS } from '../../../shared/operations/table.ts';
import type { BodyShare } from '../body-budget.ts';
import { PROGRESS_PERIOD_MS, timedOut, watchProgress } from '../progress.ts';
import { sendError } from './errors.ts';
import { fastifyPath } from './paths.ts';

/** JSON bodies stay bytes until the operation is known; multipart stays a stream. */
export function addBodyParsers(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('application/json', readBody);
  server.addContentTypeParser('multipart/form-data', (_request, payload, done) => done(null, payload));
  server.addContentTypeParser('*', (request, payload, done) => {
    if (request.headers['content-length'] === '0') {
      done(null, undefined);
      return;
    }
    payload.resume();
    const given = request.headers['content-type'];
    const details = given === undefined ? 'its content type is missing' : `its content type is ${given}`;
    const types = bodyTypes(request.routeOptions.url);
    done(new ServiceError('INVALID_REQUEST', `The body must be ${types}`, { details }), undefined);
  });
}

/** How often a JSON body is in memory at the peak: its bytes, its text, and the strings parsed from the text. */
const COPIES = 3;

/** The body is larger than the limit of its route. */
export function bodyTooLarge(maxBytes: number): ServiceError {
  return new ServiceError('PAYLOAD_TOO_LARGE', 'The request body is larger than the server accepts', {
    details: `at most ${maxBytes} bytes`,
  });
}

/**
 * Reads the whole body of a request, within the limit of its route and the share of its call. Content-Length is checked
 * before anything is read. Without a route, and so without a key, nothing is read. Throws ServiceError.
 */
async function readBody(request: FastifyRequest, payload: IncomingMessage): Promise<Buffer | undefined> {
  if (request.is404) return undefined;
  const maxBytes = request.routeOptions.bodyLimit;
  const told = request.headers['content-length'];
  const length = told === undefined ? 0 : Number(told);
  if (length > maxBytes) throw bodyTooLarge(maxBytes);
  request.share.hold(COPIES * length);
  try {
    return await collectBody(payload, { maxBytes, share: request.share, capacity: length });
  } catch (cause) {
    // A client that is still sending gets the answer sooner when the rest is read and dropped.
    payload.resume();
    throw cause instanceof ServiceError
      ? cause
      : new ServiceError('INVALID_REQUEST', 'The request body ended too early', { cause });
  }
}

interface CollectOptions {
  /** More bytes are PAYLOAD_TOO_LARGE. */
  maxBytes: number;
  share: BodyShare;
  /** Bytes that are expected and already counted in the share. */
  capacity?: number;
}

/**
 * The bytes of JSON in one allocation, which goes back to the operating system as a whole. Leaves the source open when
 * it throws.
 */
export async function collectBody(
  source: Readable,
  { maxBytes, share, capacity = 0 }: CollectOptions,
): Promise<Buffer> {
  let bytes = Buffer.allocUnsafeSlow(capacity);
  let length = 0;
  const take = (piece: Buffer) => {
    const needed = length + piece.length;
    if (needed > maxBytes) throw bodyTooLarge(maxBytes);
    if (needed > bytes.length) {
      const larger = Math.min(maxBytes, Math.max(needed, 2 * bytes.length));
      share.hold(COPIES * larger);
      const grown = Buffer.allocUnsafeSlow(larger);
      bytes.copy(grown, 0, 0, length);
      bytes = grown;
    }
    piece.copy(bytes, length);
    length = needed;
  };
  await eachPiece(source, take);
  return bytes.subarray(0, length);
}

/**
 * Calls `take` for each piece. An iterator would pause the source, which `watchBody` takes for a server that does not
 * read.
 */
function eachPiece(source: Readable, take: (piece: Buffer) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const onData = (piece: Buffer) => {
      try {
        take(piece);
      } catch (error) {
        source.off('data', onData);
        reject(error);
      }
    };
    source.on('data', onData);
    source.once('end', resolve);
    source.once('error', reject);
    source.once('close', () => {
      if (!source.readableEnded) reject(new Error('the request body ended too early'));
    });
  });
}

/** Refuses a body that stalls. Time in which the server itself does not read does not count. */
export function watchBody(request: FastifyRequest, reply: FastifyReply, periodMs: number = PROGRESS_PERIOD_MS): void {
  const { headers, raw } = request;
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return;
  const body = {
    received: () => raw.socket.bytesRead,
    held: () => request.share.held,
    isExcused: () => raw.complete || isHeldUp(request),
  };
  const stop = watchProgress(body, periodMs, (details) => refuse(request, reply, details));
  raw.once('end', stop);
  reply.raw.once('close', stop);
}

/** Whether bytes have arrived that the server has not read. */
function isHeldUp({ raw }: FastifyRequest): boolean {
  return raw.readableLength > 0 || raw.isPaused();
}

function refuse(request: FastifyRequest, reply: FastifyReply, details: string): void {
  if (reply.raw.headersSent) {
    reply.raw.destroy();
    return;
  }
  const error = timedOut('body', details);
  request.report?.fail(error.code);
  // Closes the connection after the answer, which also ends every reader that waits for the rest of the body.
  sendError(reply.header('connection', 'close'), error);
}

const UPLOADS: ReadonlySet<string> = new Set(
  Object.values(OPERATIONS).flatMap(({ rest }) =>
    rest.filter(({ multipartField }) => multipartField !== undefined).map(({ path }) => fastifyPath(path)),
  ),
);

/** The content types that a body of the route may have, as words for an error. */
function bodyTypes(routeUrl: string | undefined): string {
  return UPLOADS.has(routeUrl ?? '') ? 'application/json or multipart/form-data' : 'application/json';
}
