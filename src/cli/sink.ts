import { once } from 'node:events';
import { OutputClosed } from './failure.ts';

/** Where output goes. A write ends when the reader keeps up, so that a slow pipe slows the stream that feeds it. */
export interface Sink {
  write(data: string | Uint8Array): Promise<void>;
}

/** DEL and the C1 controls, among them a CSI of one character: JSON does not escape them, and no text of ours has them. */
const EIGHT_BIT_CONTROLS = /[\u007f-\u009f]/g;

/** A sink that shows such controls as JSON would escape them, which is how JSON reads them back. Bytes pass as they are. */
export function terminalSink(sink: Sink): Sink {
  const escaped = (control: string): string => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return {
    write: (data) => sink.write(typeof data === 'string' ? data.replace(EIGHT_BIT_CONTROLS, escaped) : data),
  };
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
