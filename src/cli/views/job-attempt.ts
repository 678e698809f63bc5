import type { JobAttempt } from '../../shared/gen/service/v1/memory_pb.ts';
import { timestampToMs } from '../../shared/time.ts';
import { timeColumn } from '../kit/output/columns.ts';
import type { Column } from '../kit/output/table.ts';
import { durationText } from '../kit/text/figures.ts';

/** One try at processing a memory. */
export const jobAttemptColumns: readonly Column<JobAttempt>[] = [
  timeColumn('STARTED', ({ startedAt }) => startedAt),
  { header: 'TOOK', value: tookText, align: 'right', whole: true },
  { header: 'RESULT', value: ({ ok }) => (ok === undefined ? 'running' : ok ? 'ok' : 'failed'), whole: true },
  { header: 'PROGRESS', value: progressText },
  { header: 'WORKER', value: ({ workerId }) => workerId ?? '', spare: true },
  { header: 'ERROR', value: ({ errorMessage }) => errorMessage ?? '' },
];

function tookText({ startedAt, finishedAt }: JobAttempt): string {
  if (startedAt === undefined || finishedAt === undefined) return '';
  const ms = timestampToMs(finishedAt) - timestampToMs(startedAt);
  return ms < 1000 ? `${Math.round(ms)} ms` : durationText(ms);
}

function progressText({ progressCurrent, progressTotal, progressUnit = '' }: JobAttempt): string {
  const count = progressTotal === undefined ? `${progressCurrent}` : `${progressCurrent} of ${progressTotal}`;
  return `${count} ${progressUnit}`.trim();
}
