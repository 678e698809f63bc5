import { constants, createReadStream, fstatSync, open as openWithCallback } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { isatty, ReadStream } from 'node:tty';
import { promisify } from 'node:util';

const open = promisify(openWithCallback);

/** Large enough that a long line is not put together from thousands of pieces. */
const PIECE_BYTES = 1024 * 1024;

/**
 * A file, pipe or terminal as a stream that can always be destroyed. A pipe that nobody writes to yet blocks the thread
 * that opens it, and neither Ctrl-C nor the end of the process gets it back: it is opened without waiting, and waited for
 * by the event loop. Rejects with the error of the system.
 */
export async function openInput(path: string): Promise<Readable> {
  const fd = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  if (fstatSync(fd).isFIFO()) return new Socket({ fd, readable: true, writable: false });
  return isatty(fd) ? new ReadStream(fd) : createReadStream(path, { fd, highWaterMark: PIECE_BYTES });
}
