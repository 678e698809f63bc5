import { once } from 'node:events';
import { OutputClosed } from './failure.ts';

/** Where output goes. A write ends when the reader keeps up, so that a slow pipe slows the stream that feeds it. */
export interface Sink {
  write(data: string | Uint8Array): Promise<void>;
}

/** The sink of a stream. Once the reader is gone every write throws `OutputClosed`. */
export function streamSink(stream: NodeJS.WritableStream, signal: AbortSignal): Sink {
  return {
    async write(data) {
      if (!stream.writable) throw new OutputClosed();
      if (stream.write(data)) return;
      try {
        await once(stream, 'drain', { signal });
      } catch (error) {
        throw signal.aborted ? signal.reason : error;
      }
    },
  };
}
