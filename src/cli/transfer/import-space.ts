import type { CommandContext } from '../command.ts';
import { inputBytes } from '../input/input-bytes.ts';
import { inputName } from '../input/input-name.ts';
import { writeRecord } from '../render/records.ts';
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
  const items = readItems(inputBytes(io, file, signal), source);
  const space = await receive(store, items, { name, embedders, source, now: io.now }, report);
  await writeRecord(io, spaceView, space);
  return report.exit;
}
