import type { ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { constants, createGzip, type Gzip, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** A shorter body fits into one packet as it is. */
const MIN_BYTES = 1024;
const gzipped = promisify(gzip);

/** Whether the client accepts the encoding: by name or by `*`, and not with q=0. */
export function accepts({ headers }: FastifyRequest, encoding: string): boolean {
  if (headers['accept-encoding'] === undefined) return false;
  const weights = new Map(
    String(headers['accept-encoding'])
      .toLowerCase()
      .split(',')
      .map((entry) => {
        const [name = '', ...parameters] = entry.split(';').map((part) => part.trim());
        return [name, !parameters.some((each) => /^q\s*=\s*0(\.0*)?$/.test(each))] as const;
      }),
  );
  return weights.get(encoding) ?? weights.get('*') ?? false;
}

/** Adds a request header to those that the response varies with. */
export function addVary(reply: FastifyReply, name: string): void {
  reply.header('vary', [reply.getHeader('vary') ?? [], name].flat().join(', '));
}

/** A body, gzipped when the client accepts that, with the headers that say so. */
export async function encoded(request: FastifyRequest, reply: FastifyReply, body: string): Promise<string | Buffer> {
  if (body.length < MIN_BYTES) return body;
  addVary(reply, 'Accept-Encoding');
  if (!accepts(request, 'gzip')) return body;
  reply.header('content-encoding', 'gzip');
  return await gzipped(body);
}

/** A compressor for a response whose headers have been sent. It flushes after every write. */
export function gzipInto(raw: ServerResponse): Gzip {
  // 0.5 ms of processor time for twenty results of 1 kB, which become two fifths of that.
  const compressor = createGzip({ flush: constants.Z_SYNC_FLUSH });
  compressor.pipe(raw);
  raw.once('close', () => compressor.destroy());
  return compressor;
}

/**
 * Waits until a compressor has flushed everything, or its response is closed: a compressor that is destroyed during a
 * write, because the client does not read, never calls back.
 */
export async function passedOn(compressor: Gzip): Promise<void> {
  if (compressor.destroyed) return;
  await new Promise<void>((resolve) => {
    compressor.once('close', resolve);
    compressor.flush(() => resolve());
  });
}
