import { fstatSync, writeSync } from 'node:fs';
import { onAbort } from '../../../shared/async/abort.ts';
import { OutputClosed, outputError } from '../errors.ts';

/** Where output goes. A write resolves when the reader keeps up: back-pressure from a slow pipe reaches the stream that feeds it. */
export interface Sink {
  write(data: string | Uint8Array): Promise<void>;
}

/** A program that shows what it is given page by page, and has the terminal meanwhile. */
export interface Pager {
  /** Throws `OutputClosed` once the reader has left. */
  readonly sink: Sink;
  /** Nothing more will come: waits until the reader has left. */
  end(): Promise<void>;
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

/** stdout or stderr as the process has it. */
interface ProcessStream extends NodeJS.WritableStream {
  readonly fd: number;
  readonly isTTY?: boolean;
  readonly errored?: Error | null;
}

/**
 * The sink of stdout. What a write hands over has been taken when it ends. A failure is thrown and ends the command, whose
 * result is lost: `OutputClosed` once the reader is gone, a CommandError (exit 74) for every other reason. The reason
 * of the signal is thrown when that ends the wait for a slow reader.
 */
export function outputSink(stream: ProcessStream, stop: AbortController): Sink {
  const sink = processSink(stream, stop.signal);
  return {
    async write(data) {
      try {
        await sink.write(data);
      } catch (error) {
        stop.abort(error);
        throw error;
      }
    },
  };
}

/** The sink of stderr. A message that cannot be written neither ends the command nor changes its exit code. */
export function messageSink(stream: ProcessStream, signal: AbortSignal): Sink {
  const sink = processSink(stream, signal);
  return {
    async write(data) {
      try {
        await sink.write(data);
      } catch (error) {
        if (error === signal.reason) throw error;
      }
    },
  };
}

function processSink(stream: ProcessStream, signal: AbortSignal): Sink {
  return isFile(stream) ? fileSink(stream) : streamSink(stream, signal);
}

/** The failure of a write to stdout. A terminal that was closed answers EIO where a pipe without a reader answers EPIPE. */
export function stdoutFailure(error: unknown, { isTTY }: Pick<ProcessStream, 'isTTY'>): Error {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const isClosed = code === 'EPIPE' || (code === 'EIO' && isTTY === true);
  return isClosed ? new OutputClosed() : outputError('stdout', error);
}

/** A regular file, or a device that is no terminal. */
function isFile({ fd, isTTY }: ProcessStream): boolean {
  const stats = fstatSync(fd);
  return stats.isFile() || (stats.isCharacterDevice() && isTTY !== true);
}

/**
 * Writes to files itself: the stream that Node has for them takes a write that was cut short, as on a disk that fills up,
 * for a whole one.
 */
function fileSink(stream: ProcessStream): Sink {
  return {
    async write(data) {
      const bytes = Buffer.from(data);
      try {
        for (let at = 0; at < bytes.length; ) at += writeSync(stream.fd, bytes, at);
      } catch (error) {
        throw stdoutFailure(error, stream);
      }
    },
  };
}

function streamSink(stream: ProcessStream, signal: AbortSignal): Sink {
  return {
    write: (data) =>
      new Promise((resolve, reject) => {
        if (!stream.writable)
          return reject(stream.errored ? stdoutFailure(stream.errored, stream) : new OutputClosed());
        let unlisten = (): void => {};
        const isTaken = stream.write(data, (error) => {
          unlisten();
          if (error) reject(stdoutFailure(error, stream));
          else resolve();
        });
        // After a signal the last output is written only if the reader takes it at once.
        if (!signal.aborted || !isTaken) unlisten = onAbort(signal, () => reject(signal.reason));
      }),
  };
}
