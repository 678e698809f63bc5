import type { DescMessage, Message } from '@bufbuild/protobuf';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { encodeJson } from '../../../shared/json/encode.ts';
import { NDJSON_CONTENT_TYPE, ndjsonLine } from '../../../shared/json/ndjson.ts';
import { negotiateStream } from '../../../shared/json/negotiate.ts';
import { SSE_CLOSE, SSE_CONTENT_TYPE, SSE_KEEP_ALIVE, sseFrame } from '../../../shared/json/sse.ts';
import { drained } from '../drained.ts';
import { breakOff, type ReplyContext, takeOver } from './raw.ts';
import { TurnWriter } from './turn-writer.ts';

const KEEP_ALIVE_MS = 15_000;

/** How events are written. */
export interface EventForm {
  desc: DescMessage;
  encode: typeof encodeJson;
}

/**
 * Streams events as NDJSON or SSE, whichever the client prefers. An error before the first event is thrown, so that it
 * becomes a normal response; after it the connection is destroyed, because a stream has no way to say it.
 */
export async function sendEvents(
  request: FastifyRequest,
  reply: FastifyReply,
  { desc, encode }: EventForm,
  events: AsyncIterable<Message>,
  context: ReplyContext,
): Promise<void> {
  const sse = negotiateStream(request.headers.accept) === 'sse';
  const frame = sse ? sseFrame : ndjsonLine;
  const { report } = context;
  const iterator = events[Symbol.asyncIterator]();
  let next = await iterator.next();

  const contentType = sse ? SSE_CONTENT_TYPE : NDJSON_CONTENT_TYPE;
  const raw = takeOver(reply.code(200).header('content-type', contentType).header('cache-control', 'no-store'));
  report?.openStream();
  const writer = new TurnWriter(raw);
  const keepAlive = sse ? setInterval(() => writer.write(SSE_KEEP_ALIVE), KEEP_ALIVE_MS) : undefined;
  try {
    while (next.done !== true) {
      keepAlive?.refresh();
      const isTaken = writer.write(frame(desc, next.value, encode));
      report?.sent(desc, next.value);
      if (!isTaken) await drained(raw, context.signal);
      next = await iterator.next();
    }
    writer.end(sse ? SSE_CLOSE : '');
  } catch (error) {
    writer.flush();
    breakOff(raw, error, context);
  } finally {
    clearInterval(keepAlive);
    await iterator.return?.();
  }
}
