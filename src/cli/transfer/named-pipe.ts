import { constants, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { addAbortSignal } from 'node:stream';
import { sleep } from '../../shared/async/sleep.ts';

const POLL_MS = 50;

export interface NamedPipe {
  /** Ends when the pipe has taken the text. */
  writeFile(text: string): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens a named pipe to write, once it has a reader, as every writer does. Nothing here blocks a thread: one that waits in
 * `open` or `write` could be ended by no signal, nor by the end of the process.
 *
 * @throws the error of the system (EPIPE from a write when the reader has gone away), or the reason of the signal.
 */
export async function openPipe(path: string, signal: AbortSignal): Promise<NamedPipe> {
  const fd = await openForReader(path, signal);
  const socket = addAbortSignal(signal, new Socket({ fd, readable: false, writable: true }));
  // Each write tells its own failure.
  socket.on('error', () => {});
  return {
    writeFile: (text) =>
      new Promise((resolve, reject) => void socket.write(text, (error) => (error ? reject(error) : resolve()))),
    close: () =>
      new Promise((resolve) => {
        if (socket.closed) return resolve();
        socket.once('close', () => resolve());
        socket.destroySoon();
      }),
  };
}

async function openForReader(path: string, signal: AbortSignal): Promise<number> {
  for (;;) {
    try {
      return openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
    } catch (error) {
      // Nobody reads yet.
      if (!(error instanceof Error && 'code' in error && error.code === 'ENXIO')) throw error;
    }
    await sleep(POLL_MS, signal);
  }
}
