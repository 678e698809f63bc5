import {
  type LatencySummary,
  type PoolStatus,
  type SystemInfo,
  SystemInfoSchema,
  SystemService,
  type SystemStatus,
  SystemStatusSchema,
} from '../../shared/gen/service/v1/system_pb.ts';
import type { Command } from '../kit/command.ts';
import { command, jsonFieldsOf } from '../kit/define-command.ts';
import { labelsText } from '../kit/output/columns.ts';
import type { Io } from '../kit/output/io.ts';
import { type View, writeRecord } from '../kit/output/records.ts';
import { rowsText } from '../kit/output/rows.ts';
import type { Column } from '../kit/output/table.ts';
import { durationText, yesNo } from '../kit/text/figures.ts';
import { doctor } from './doctor-command.ts';
import { healthCommand } from './health-command.ts';

const systemInfoView: View<typeof SystemInfoSchema> = {
  desc: SystemInfoSchema,
  columns: [
    { header: 'VERSION', value: ({ version }) => version, whole: true },
    { header: 'COMMIT', value: ({ gitCommit }) => gitCommit ?? '' },
    { header: 'BUILT', value: ({ buildTime }) => buildTime ?? '' },
    { header: 'MODIFIED', value: ({ dirty }) => yesNo(dirty) },
    { header: 'CAPABILITIES', value: capabilitiesText },
  ],
  fields: [
    { header: 'version', value: ({ version }) => version },
    { header: 'commit', value: ({ gitCommit }) => gitCommit ?? '' },
    { header: 'described', value: ({ gitDescribe }) => gitDescribe ?? '' },
    { header: 'built', value: ({ buildTime }) => buildTime ?? '' },
    { header: 'modified', value: ({ dirty }) => yesNo(dirty) },
    { header: 'capabilities', value: capabilitiesText },
  ],
};

function capabilitiesText({ capabilities }: SystemInfo): string {
  return labelsText(capabilities?.capabilities ?? {});
}

/** What fits into one record; pools, requests and stages are tables of their own. */
const systemStatusView: View<typeof SystemStatusSchema> = {
  desc: SystemStatusSchema,
  columns: [
    { header: 'STATE', value: ({ state }) => state, whole: true },
    { header: 'UPTIME', value: ({ uptimeMs }) => durationText(Number(uptimeMs)), whole: true },
    { header: 'DATABASE', value: ({ database }) => database, whole: true },
    { header: 'SCHEMA', value: ({ schemaVersion }) => String(schemaVersion), align: 'right', whole: true },
    { header: 'STORED', value: ({ counts }) => countsText(counts) },
    { header: 'JOBS', value: ({ jobs }) => countsText(jobs) },
  ],
};

function countsText(counts: SystemStatus['counts']): string {
  return Object.entries(counts)
    .map(([name, count]) => `${name.toLowerCase()} ${count}`)
    .join(', ');
}

type NamedValue<T> = readonly [name: string, value: T];

const poolColumns: readonly Column<NamedValue<PoolStatus>>[] = [
  { header: 'POOL', value: ([name]) => name },
  { header: 'USED', value: ([, { used }]) => String(used), align: 'right', whole: true },
  { header: 'IDLE', value: ([, { idle }]) => String(idle), align: 'right', whole: true },
  { header: 'WAITING', value: ([, { waiting }]) => String(waiting), align: 'right', whole: true },
];

/** Calls of the last minute; `header` says what was called. */
function latencyColumns(header: string): readonly Column<NamedValue<LatencySummary>>[] {
  return [
    { header, value: ([name]) => name },
    { header: 'CALLS', value: ([, { count }]) => String(count), align: 'right', whole: true },
    { header: 'ERRORS', value: ([, { errors }]) => String(errors), align: 'right', whole: true },
    { header: 'P50 MS', value: ([, { p50Ms }]) => p50Ms.toFixed(1), align: 'right', whole: true },
    { header: 'P99 MS', value: ([, { p99Ms }]) => p99Ms.toFixed(1), align: 'right', whole: true },
  ];
}

const status = command({
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

const info = command({
  name: 'info',
  isPaged: true,
  jsonFields: jsonFieldsOf(systemInfoView),
  summary: 'Show the version of the server; with a key also its build and capabilities',
  needsKey: false,
  args: {},
  flags: {},
  examples: ['system info', 'system info -o json', 'system info --server http://localhost:9090'],
  async run({ io, client }) {
    await writeRecord(io, systemInfoView, await (await client()).call(SystemService.method.getSystemInfo, {}));
    return undefined;
  },
});

export const system: readonly Command[] = [
  info,
  status,
  { ...healthCommand('system health'), name: 'health', summary: 'Ask whether the server is up, as svc health does' },
  doctor,
];
