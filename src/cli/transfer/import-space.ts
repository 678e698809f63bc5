import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { CommandContext } from '../kit/command.ts';
import { inputBytes, inputName } from '../kit/input/read-input.ts';
import { writeRecord } from '../kit/output/records.ts';
import { spaceView } from '../views/space.ts';
import { readItems } from './line.ts';
import { openTransfer } from './open-transfer.ts';
import { receive } from './receive.ts';
import type { TargetOptions } from './target.ts';

export interface ImportOptions extends TargetOptions {
  /** `-` for stdin. */
  file: string;
}

/** Makes a space from a file that an export wrote, and writes its record. Returns the exit code. */
export async function importSpace(context: CommandContext, { file, name, embedders }: ImportOptions): Promise<number> {
  const { io, signal } = context;
  const source = inputName(file);
  const { store, report } = await openTransfer(context);
  const bytes = await sizeOfFile(io.cwd, file);
  let read = 0;
  if (bytes > 0) report.progress.measure(() => read / bytes);
  const input = passing(inputBytes(io, file, signal), (length) => {
    read += length;
  });
  const items = readItems(input, source);
  const space = await receive(store, items, { name, embedders, source, now: io.now }, report);
  await writeRecord(io, spaceView, space);
  return report.exit;
}

/** 0 for what has no size: stdin, pipes, and files that are not there, which the reader tells. */
async function sizeOfFile(cwd: string, file: string): Promise<number> {
  if (file === '-') return 0;
  return stat(resolve(cwd, file)).then(
    ({ size }) => size,
    () => 0,
  );
}

async function* passing(
  input: AsyncIterable<Uint8Array>,
  onBytes: (length: number) => void,
): AsyncGenerator<Uint8Array> {
  for await (const piece of input) {
    onBytes(piece.length);
    yield piece;
  }
}
