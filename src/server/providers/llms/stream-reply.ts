import { isObject } from '../../../shared/json/is-object.ts';
import { MalformedAnswer } from '../malformed-answer.ts';
import { SseParser } from '../sse-parser.ts';
import { embeddedError } from '../status-errors.ts';
import type { TargetCaller, TargetStream } from '../target-caller.ts';
import { ReplyCollector } from './reply.ts';
import type { ChatReply } from './types.ts';

/**
 * The reply of a stream of events, read until the server says that it is whole; the rest is left. Rejects with a
 * `ProviderError`: what the stream itself reports, or `invalid_response` for one that breaks off before its end.
 */
export async function streamedReply(
  stream: TargetStream,
  caller: TargetCaller,
  onText?: (text: string) => void,
): Promise<ChatReply> {
  const parser = new SseParser();
  const collector = new ReplyCollector(onText);
  const isWhole = (events: readonly string[]) => events.some((data) => takeEvent(data, collector, stream));
  try {
    for await (const part of stream.parts) {
      if (isWhole(parser.push(part))) return collector.reply();
    }
    if (isWhole(parser.end())) return collector.reply();
  } catch (error) {
    if (error instanceof MalformedAnswer) throw caller.invalid(error.message, stream.status, { cause: error });
    throw error;
  }
  throw caller.invalid('a stream that ended before the reply did', stream.status, { retryable: true });
}

/** Whether the reply is whole after this event. */
function takeEvent(data: string, collector: ReplyCollector, { context }: TargetStream): boolean {
  if (data.trim() === '[DONE]') return true;
  let chunk: unknown;
  try {
    chunk = JSON.parse(data);
  } catch (cause) {
    throw new MalformedAnswer('an event that is not JSON', { cause });
  }
  if (isObject(chunk) && isPresent(chunk.error)) throw embeddedError(chunk.error, context);
  collector.add(chunk);
  return collector.isFinished;
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}
