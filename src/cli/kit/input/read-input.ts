import { constants, createReadStream, fstatSync, open as openWithCallback } from 'node:fs';
import { Socket } from 'node:net';
import { resolve } from 'node:path';
import { addAbortSignal, type Readable } from 'node:stream';
import { isatty, ReadStream } from 'node:tty';
import { promisify } from 'node:util';
import type { JsonObject } from '@bufbuild/protobuf';
import { ServiceError } from '../../../shared/errors.ts';
import { InvalidJson, isObject, parseJsonText } from '../../../shared/json/parse.ts';
import { checkPlainJson } from '../../../shared/json/plain-json.ts';
import { type CommandError, inputError, usageError } from '../errors.ts';
import type { Io } from '../output/io.ts';
import { collectInput } from './read-file.ts';

export type InputIo = Pick<Io, 'stdin' | 'cwd' | 'signal'>;

/** More than any call carries. Devices have no end, and pipes need not have one. */
const MOST_BYTES = 256 * 1024 * 1024;

/**
 * The bytes of a file or pipe, or of stdin for `-`. What cannot be read is an input error (exit 66), and so is a stdin
 * without a byte: more often than not whatever should have written into the pipe has failed.
 */
export async function readInput(io: InputIo, file: string): Promise<Buffer> {
  const bytes = await readBytes(io, file);
  if (file === '-' && bytes.length === 0) throw emptyStdin();
  return bytes;
}

export function emptyStdin(): CommandError {
  return inputError('stdin is empty', undefined, 'nothing was piped in');
}

/** The same, where nothing at all may be an answer. */
export async function readBytes(io: InputIo, file: string): Promise<Buffer> {
  const { signal } = io;
  return collectInput(inputBytes(io, file, signal), { name: inputName(file), limit: async () => MOST_BYTES, signal });
}

/** The bytes of a file, or of stdin for `-`, as they come. What cannot be read is an input error (exit 66). */
export async function* inputBytes(
  { stdin, cwd }: Pick<Io, 'stdin' | 'cwd'>,
  file: string,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  signal.throwIfAborted();
  try {
    const stream = file === '-' ? stdin : await openInput(resolve(cwd, file));
    addAbortSignal(signal, stream);
    for await (const piece of stream) yield Buffer.from(piece);
  } catch (error) {
    signal.throwIfAborted();
    throw inputError(`Cannot read ${inputName(file)}`, error);
  }
}

const open = promisify(openWithCallback);

/** Large enough that a long line is not put together from thousands of pieces. */
const PIECE_BYTES = 1024 * 1024;

/**
 * A file, pipe or terminal as a stream that can always be destroyed. A pipe without a writer blocks the thread
 * that opens it, and neither Ctrl-C nor the end of the process gets it back: it is opened without waiting, and waited for
 * by the event loop. Rejects with the error of the system.
 */
async function openInput(path: string): Promise<Readable> {
  const fd = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  if (fstatSync(fd).isFIFO()) return new Socket({ fd, readable: true, writable: false });
  return isatty(fd) ? new ReadStream(fd) : createReadStream(path, { fd, highWaterMark: PIECE_BYTES });
}

/** What is read, as messages call it. */
export function inputName(file: string): string {
  return file === '-' ? 'stdin' : file;
}

/** The JSON object that a flag was given, `name` in errors. What no server could take exactly is refused. */
export function jsonObject(text: string, name: string): JsonObject {
  const parsed = parsedJson(text, name);
  if (!isObject(parsed)) throw usageError(`${name} must be a JSON object`);
  const problems: string[] = [];
  checkPlainJson(parsed, '', (path, problem) => problems.push(`${path}: ${problem}`), { allowNul: true });
  if (problems.length > 0) throw usageError(`${name} cannot be used`, { details: problems.join('; ') });
  // Parsed JSON is JSON; only its type says less.
  return parsed as JsonObject;
}

function parsedJson(text: string, name: string): unknown {
  try {
    return parseJsonText(text);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const problem = error.cause instanceof SyntaxError ? 'is not JSON' : 'cannot be used';
    throw usageError(`${name} ${problem}`, { details: error instanceof InvalidJson ? error.fault : error.details });
  }
}

/** The same, or with `@` the one in that file (`@-` for stdin). */
export async function readJsonObject(io: InputIo, value: string, name: string): Promise<JsonObject> {
  const text = value.startsWith('@') ? (await readInput(io, value.slice(1))).toString('utf8') : value;
  return jsonObject(text, name);
}
