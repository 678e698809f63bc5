import type { Space } from '../../shared/gen/service/v1/space_pb.ts';
import type { CommandContext } from '../kit/command.ts';
import { usageError } from '../kit/errors.ts';
import { resolveSpace } from '../kit/naming/spaces.ts';
import type { EmbedderSelection } from '../kit/naming/targets.ts';
import { writeRecord } from '../kit/output/records.ts';
import { spaceView } from '../spaces/view.ts';
import { exportItems, sizeOf } from './export.ts';
import type { LocatedItem, TransferItem } from './format.ts';
import { receive } from './import.ts';
import { openTransfer } from './report.ts';

interface CopyOptions {
  /** Name or id. */
  source: string;
  /** Of the copy. */
  name: string;
  /** None means those of the source. */
  embedders: readonly EmbedderSelection[];
}

/** Copies a space with its memories into one of another name, and writes the record of that. Returns the exit code. */
export async function copySpace(context: CommandContext, { source, name, embedders }: CopyOptions): Promise<number> {
  const { io } = context;
  const { store, report } = await openTransfer(context);
  const spaceId = await resolveSpace(store.client, source);
  if (io.showsProgress) report.progress.expect(await sizeOf(store, spaceId));
  const items = located(exportItems(store, spaceId, { vectors: false }));
  const check = (target: Space): void => requireOther(target, spaceId);
  const space = await receive(store, items, { name, embedders, source, check, now: io.now }, report);
  await writeRecord(io, spaceView, space);
  return report.exit;
}

function requireOther(target: Space, spaceId: string): void {
  if (target.spaceId !== spaceId) return;
  throw usageError('A space cannot be copied into itself', { next: 'Give the copy another name' });
}

async function* located(items: AsyncIterable<TransferItem>): AsyncGenerator<LocatedItem> {
  for await (const item of items) yield { at: item.kind === 'memory' ? `memory ${item.memory.memoryId}` : '', item };
}
