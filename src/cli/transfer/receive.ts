import { ERROR_CODES } from '../../shared/errors.ts';
import type { Space } from '../../shared/gen/service/v1/space_pb.ts';
import type { StoreContext } from '../kit/bulk/store-memories.ts';
import { CommandError } from '../kit/errors.ts';
import { importItems, type Received } from './import-items.ts';
import type { LocatedItem, SpaceItem } from './item.ts';
import type { TransferReport } from './report.ts';
import { openTarget, type Target, type TargetOptions } from './target.ts';

export interface ReceiveOptions extends TargetOptions {
  /** Names what is read, in errors. */
  source: string;
  /** Called before anything is made; throws what forbids the transfer. */
  check?: (space: Space) => void;
  /** Epoch milliseconds. */
  now: () => number;
}

/**
 * Puts the space and the memories that come into the target and says what became of them. Returns the target space.
 *
 * @throws CommandError (exit 65) for items that do not begin with a space, or that stop before their end. What came
 *   before is stored then.
 */
export async function receive(
  context: StoreContext,
  items: AsyncGenerator<LocatedItem>,
  options: ReceiveOptions,
  report: TransferReport,
): Promise<Space> {
  const { source, now } = options;
  const { from, target } = await begin(context, items, options, report);
  const { space, existed } = target;
  options.check?.(space);
  if (existed) await report.note(`The space ${space.name} exists already: it gets the memories that it lacks.`);
  let stopped: { error: unknown } | undefined;
  try {
    const sourceId = from.space.spaceId;
    const received = await importItems(context, items, { spaceId: space.spaceId, sourceId, now }, report);
    requireWhole(received, source);
  } catch (error) {
    stopped = { error };
    throw error;
  } finally {
    await report.end(stopped, context.signal.aborted);
  }
  return space;
}

/** Reads the space and opens the one that it goes into. */
async function begin(
  { client, signal }: StoreContext,
  items: AsyncGenerator<LocatedItem>,
  options: ReceiveOptions,
  report: TransferReport,
): Promise<{ from: SpaceItem; target: Target }> {
  try {
    const from = await spaceAtStart(items, options.source);
    return { from, target: await openTarget(client, from, options) };
  } finally {
    if (signal.aborted) await report.note('Interrupted before any memory was stored');
  }
}

async function spaceAtStart(items: AsyncGenerator<LocatedItem>, source: string): Promise<SpaceItem> {
  const first = await items.next();
  if (first.done !== true && first.value.item.kind === 'space') return first.value.item;
  throw new CommandError(`${source} is not an export of a space`, {
    code: 'INVALID_ARGUMENT',
    exit: ERROR_CODES.INVALID_ARGUMENT.exit,
    details: first.done === true ? 'it is empty' : 'its first line is not the record of a space',
    next: 'Make one with: svc spaces export SPACE FILE',
  });
}

function requireWhole({ memories, chunks, end }: Received, source: string): void {
  if (end !== undefined && end.memories === memories && end.chunks === chunks) return;
  const details =
    end === undefined
      ? `it stops after ${memories} memories, without the last line of an export`
      : `its last line says ${end.memories} memories and ${end.chunks} chunks, but it has ${memories} and ${chunks}`;
  throw new CommandError(`${source} is not a complete export`, {
    code: 'INVALID_ARGUMENT',
    exit: ERROR_CODES.INVALID_ARGUMENT.exit,
    details,
    next: 'What it contains is stored. Make the export again, and import that for the rest',
  });
}
