import { Gate, pauseText } from '../kit/bulk/gate.ts';
import type { StoreContext } from '../kit/bulk/store-memories.ts';
import type { CommandContext } from '../kit/command.ts';
import { TransferReport } from './report.ts';

/** What a transfer needs to read and store memories, with the report that its pauses are told in. */
export interface Transfer {
  store: StoreContext;
  report: TransferReport;
}

export async function openTransfer({ io, client, signal }: CommandContext): Promise<Transfer> {
  const report = new TransferReport(io);
  const gate = new Gate({
    signal,
    onPause: (pause) => report.note(pauseText(pause)),
    onResume: async () => {},
  });
  return { store: { client: await client(), gate, signal }, report };
}
