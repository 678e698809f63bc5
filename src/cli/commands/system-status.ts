import { SystemService, type SystemStatus } from '../../shared/gen/service/v1/system_pb.ts';
import { command, jsonFieldsOf } from '../kit/define-command.ts';
import type { Io } from '../kit/output/io.ts';
import { writeRecord } from '../kit/output/records.ts';
import { rowsText } from '../kit/output/rows.ts';
import type { Column } from '../kit/output/table.ts';
import { latencyColumns, poolColumns, systemStatusView } from '../views/system-status.ts';

export const status = command({
  name: 'status',
  isPaged: true,
  isWatchable: true,
  jsonFields: jsonFieldsOf(systemStatusView),
  summary: 'Show how the server is doing: counts, jobs, connections, latencies',
  notes: 'Latencies are those of the last minute, of the server that answers. For administrators.',
  args: {},
  flags: {},
  examples: [
    'system status',
    'system status --watch --interval 5',
    "system status -o ndjson | jq '.requests | map_values(.p99Ms)'",
  ],
  async run({ io, client }) {
    const record = await (await client()).call(SystemService.method.getSystemStatus, {});
    await writeRecord(io, systemStatusView, record);
    if (!io.isData) await io.stdout.write(sectionsText(io, record));
    return undefined;
  },
});

function sectionsText(io: Io, { pools, requests, stages }: SystemStatus): string {
  return [
    section(io, poolColumns, pools),
    section(io, latencyColumns('REQUEST'), requests),
    section(io, latencyColumns('STAGE OF RETRIEVAL'), stages),
  ].join('');
}

function section<T>(
  io: Io,
  columns: readonly Column<readonly [string, T]>[],
  values: Readonly<Record<string, T>>,
): string {
  const rows = Object.entries(values);
  return rows.length === 0 ? '' : `\n${rowsText(io, columns, rows)}`;
}
