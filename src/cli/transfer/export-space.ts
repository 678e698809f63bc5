import type { CommandContext } from '../kit/command.ts';
import { resolveSpace } from '../kit/naming/spaces.ts';
import { exportItems, sizeOf } from './export-items.ts';
import type { TransferItem } from './item.ts';
import { itemLine } from './line.ts';
import { openTransfer } from './open-transfer.ts';
import { openOutput } from './output-file.ts';
import type { TransferReport } from './report.ts';

export interface ExportOptions {
  /** Name or id. */
  space: string;
  /** `-` for stdout. */
  file: string;
  /** Also the chunks with their vectors. */
  vectors: boolean;
  /** Replaces a file that is there. */
  force: boolean;
}

/** Writes a space with its memories to a file and says on stderr how it went. */
export async function exportSpace(
  context: CommandContext,
  { space, file, vectors, force }: ExportOptions,
): Promise<void> {
  const output = await openOutput(context.io, file, { force });
  const { store, report } = await openTransfer(context);
  const spaceId = await resolveSpace(store.client, space);
  let isWritten = false;
  try {
    if (context.io.showsProgress) report.progress.expect(await sizeOf(store, spaceId));
    await output(writtenLines(exportItems(store, spaceId, { vectors }), report));
    isWritten = true;
  } finally {
    await report.written(file, isWritten, context.signal.aborted);
  }
}

async function* writtenLines(items: AsyncIterable<TransferItem>, report: TransferReport): AsyncGenerator<string> {
  for await (const item of items) {
    yield itemLine(item);
    if (item.kind === 'memory') await report.count('written', item.content.length);
    if (item.kind === 'chunk') await report.countChunk();
  }
}
