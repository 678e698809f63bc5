import type { RetrieveMemoryEvent } from '../../shared/gen/service/v1/memory_pb.ts';
import { ResultSetBoundary_Kind as BoundaryKind } from '../../shared/gen/service/v1/retrieve_pb.ts';
import { partialError } from '../kit/errors.ts';
import type { EventWriter } from '../kit/output/event-writer.ts';
import type { Io } from '../kit/output/io.ts';
import { type RetrieveViewOptions, retrieveLines } from './lines.ts';

/**
 * Hands a stream to a writer, event by event, and tells it how the stream ended. A stream that breaks off after its first
 * event, or closes before the end of the results, is a partial error (exit 76); before that the failure is thrown as it is.
 */
export async function passEvents(
  events: AsyncIterable<RetrieveMemoryEvent>,
  writer: EventWriter<RetrieveMemoryEvent>,
  signal: AbortSignal,
): Promise<void> {
  let count = 0;
  let hasEnded = false;
  try {
    for await (const event of events) {
      count += 1;
      const { value, case: kind } = event.event;
      if (kind === 'resultSetBoundary' && value.kind === BoundaryKind.END) hasEnded = true;
      await writer.event(event);
    }
  } catch (error) {
    await writer.end(signal.aborted ? 'stopped' : 'broken');
    throw signal.aborted || count === 0 ? error : partialError('The stream ended early', error);
  }
  await writer.end(hasEnded ? 'complete' : 'broken');
  if (!hasEnded) throw partialError('The stream ended early');
}

/** Shows a retrieval to people: on a screen that is drawn anew where there is one, else in lines. */
export async function peopleWriter(io: Io, options: RetrieveViewOptions): Promise<EventWriter<RetrieveMemoryEvent>> {
  if (io.events !== 'tui' || io.terminal === undefined) return retrieveLines(io, options);
  const { retrieveScreen } = await import('./screen.tsx');
  return await retrieveScreen(io, io.terminal, options);
}

/** Whether a summary is shown while it is written, and not handed to a program in one piece. */
export function showsWriting({ events }: Pick<Io, 'events'>): boolean {
  return events === 'tui' || events === 'lines';
}
