import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Busboy } from '@fastify/busboy';
import type { FastifyRequest } from 'fastify';
import { Wakeup } from '../../../shared/async/wakeup.ts';
import { ServiceError } from '../../../shared/errors.ts';
import { parseJsonBody } from '../../../shared/json/parse.ts';
import type { UploadedFile } from '../../context.ts';
import { makeTemporaryDirectory, type TemporaryDirectory } from '../../files/temporary-directory.ts';
import { bodyTooLarge, collectBody } from './body.ts';

/** How long a client may go on sending a body that has been refused. */
const DISCARD_MS = 30_000;

interface Part {
  field: string;
  filename: string | undefined;
  contentType: string | undefined;
  data: Readable;
}

interface Multipart {
  /** The parsed JSON of the part that describes the request. */
  json: unknown;
  /** All other parts, to be read one after the other. */
  files: AsyncIterable<UploadedFile>;
  /** Removes the files kept on disk. Must be called in any case. */
  close(): Promise<void>;
}

/**
 * Reads multipart/form-data as it arrives, one part at a time, so that a large file is never in memory as a whole.
 * Files that come before the part `field`, which describes the request, are kept on disk until it has been read.
 */
export async function readMultipart(
  request: FastifyRequest,
  field: string,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Multipart> {
  const parts = partsOf(request, maxBytes, signal)[Symbol.asyncIterator]();
  const early = new Spool();
  try {
    for (;;) {
      const next = await parts.next();
      if (next.done === true)
        throw new ServiceError('INVALID_REQUEST', `The multipart body has no part named ${field}`);
      if (next.value.field === field) {
        const json = parseJsonBody(await collectBody(next.value.data, { maxBytes, share: request.share }));
        return { json, files: filesOf(early, parts), close: () => finish(early, parts) };
      }
      await early.add(next.value);
    }
  } catch (error) {
    await finish(early, parts);
    throw error;
  }
}

async function finish(early: Spool, parts: AsyncIterator<Part>): Promise<void> {
  await parts.return?.();
  await early.remove();
}

async function* filesOf(early: Spool, parts: AsyncIterator<Part>): AsyncIterable<UploadedFile> {
  yield* early.files();
  for (let next = await parts.next(); next.done !== true; next = await parts.next()) {
    yield next.value;
    // A part that the caller did not read must still be consumed, or the next one never arrives.
    next.value.data.resume();
  }
}

/** The parts in the order of the body. Busboy waits while a part is not read, so only one part is open at a time. */
async function* partsOf(request: FastifyRequest, maxBytes: number, signal: AbortSignal): AsyncGenerator<Part> {
  const queue: Part[] = [];
  const news = new Wakeup();
  let failure: unknown;
  let ended = false;
  let open: Part | undefined;
  const stop = (error?: unknown) => {
    failure ??= error;
    ended = true;
    // The reader of the open part gets the error: the part of a broken body would otherwise never end.
    if (failure instanceof Error) open?.data.destroy(failure);
    news.notify();
  };
  const parser = createParser(request, (part) => {
    open = part;
    queue.push(part);
    news.notify();
  });
  const source = request.raw;
  void pipeline(metered(source, maxBytes), parser, { signal }).then(
    () => stop(),
    (error: unknown) => stop(malformed(error)),
  );
  try {
    for (;;) {
      const part = queue.shift();
      if (part !== undefined) yield part;
      else if (failure !== undefined) throw failure;
      else if (ended) return;
      else await news.wait();
    }
  } finally {
    for (const part of queue) part.data.resume();
    source.unpipe();
    discard(source);
  }
}

function createParser(request: FastifyRequest, onPart: (part: Part) => void) {
  try {
    const headers = { ...request.headers, 'content-type': request.headers['content-type'] ?? '' };
    // Every part is a stream, the describing one too: whether clients give it a file name or not.
    const parser = new Busboy({ headers, isPartAFile: () => true, limits: { parts: 1100 } });
    parser.on('file', (name, stream, filename, _encoding, contentType) => {
      // A body that ends early also emits an error on its open part. Without a listener it would end the process.
      stream.on('error', () => undefined);
      onPart({ field: name, filename: filename || undefined, contentType: contentType || undefined, data: stream });
    });
    return parser;
  } catch (error) {
    throw malformed(error);
  }
}

/** The body up to its limit. Not a part of the pipeline, which would destroy the socket of a request when it fails. */
function metered(source: IncomingMessage, maxBytes: number): Transform {
  let seen = 0;
  const meter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      seen += chunk.length;
      if (seen > maxBytes) done(bodyTooLarge(maxBytes));
      else done(null, chunk);
    },
  });
  source.once('close', () => {
    if (!source.complete) meter.destroy(new Error('the request body ended too early'));
  });
  return source.pipe(meter);
}

/**
 * Reads the rest and drops it: many clients read an answer only once they have sent everything, and would lose it if
 * the connection were closed before.
 */
function discard(source: IncomingMessage): void {
  if (source.complete) return;
  const timer = setTimeout(() => source.destroy(), DISCARD_MS);
  timer.unref();
  source.once('close', () => clearTimeout(timer));
  source.resume();
}

function malformed(cause: unknown): unknown {
  if (cause instanceof ServiceError) return cause;
  return new ServiceError('INVALID_REQUEST', 'The multipart body is malformed', {
    details: cause instanceof Error ? cause.message : '',
    cause,
  });
}

/** Parts kept on disk, in a directory that only the user of this process can read. */
class Spool {
  #directory: TemporaryDirectory | undefined;
  readonly #files: (Omit<Part, 'data'> & { path: string })[] = [];

  async add({ data, ...part }: Part): Promise<void> {
    this.#directory ??= await makeTemporaryDirectory('upload');
    const path = join(this.#directory.path, randomUUID());
    await pipeline(data, createWriteStream(path, { mode: 0o600 }));
    this.#files.push({ ...part, path });
  }

  *files(): Iterable<UploadedFile> {
    for (const { path, ...part } of this.#files)
      yield { ...part, data: createReadStream(path, { highWaterMark: 1 << 20 }) };
  }

  async remove(): Promise<void> {
    await this.#directory?.remove();
  }
}
