import {
  type LatencySummary,
  type PoolStatus,
  type SystemStatus,
  SystemStatusSchema,
} from '../../shared/gen/service/v1/system_pb.ts';
import type { View } from '../kit/output/records.ts';
import type { Column } from '../kit/output/table.ts';
import { durationText } from '../kit/text/figures.ts';

/** What fits into one record; pools, requests and stages are tables of their own. */
export const systemStatusView: View<typeof SystemStatusSchema> = {
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

type Named<T> = readonly [name: string, value: T];

export const poolColumns: readonly Column<Named<PoolStatus>>[] = [
  { header: 'POOL', value: ([name]) => name },
  { header: 'USED', value: ([, { used }]) => String(used), align: 'right', whole: true },
  { header: 'IDLE', value: ([, { idle }]) => String(idle), align: 'right', whole: true },
  { header: 'WAITING', value: ([, { waiting }]) => String(waiting), align: 'right', whole: true },
];

/** Calls of the last minute; `header` says what was called. */
export function latencyColumns(header: string): readonly Column<Named<LatencySummary>>[] {
  return [
    { header, value: ([name]) => name },
    { header: 'CALLS', value: ([, { count }]) => String(count), align: 'right', whole: true },
    { header: 'ERRORS', value: ([, { errors }]) => String(errors), align: 'right', whole: true },
    { header: 'P50 MS', value: ([, { p50Ms }]) => p50Ms.toFixed(1), align: 'right', whole: true },
    { header: 'P99 MS', value: ([, { p99Ms }]) => p99Ms.toFixed(1), align: 'right', whole: true },
  ];
}
