import { AdminService } from '../../shared/gen/service/v1/admin_pb.ts';
import { BackgroundJobStatus } from '../../shared/gen/service/v1/memory_pb.ts';
import { timestampFromMs } from '../../shared/time.ts';
import { command } from '../kit/define-command.ts';
import { type Flag, needed } from '../kit/flags/flag.ts';
import { choice, integer, toggle } from '../kit/flags/kinds.ts';
import { momentAgo } from '../kit/flags/time.ts';
import { confirmOnTerminal, FORCE_FLAG } from '../kit/input/prompt.ts';
import { writeRecord } from '../kit/output/records.ts';
import { jobPurgeView } from '../views/job-purge.ts';

/** Only what has ended can be purged. */
const STATUSES = {
  SUCCEEDED: BackgroundJobStatus.BACKGROUND_JOB_SUCCEEDED,
  FAILED: BackgroundJobStatus.BACKGROUND_JOB_FAILED,
  CANCELED: BackgroundJobStatus.BACKGROUND_JOB_CANCELED,
} as const;

const one = choice('--status <status>', 'Only jobs with this status (repeatable; default: all three)', [
  'SUCCEEDED',
  'FAILED',
  'CANCELED',
]);
const STATUS: Flag<BackgroundJobStatus[]> = {
  ...one,
  read: (texts) => [
    ...new Set(texts.map((text) => STATUSES[one.read([text.replace(/^BACKGROUND_JOB_/i, '')]) ?? 'SUCCEEDED'])),
  ],
};

const FLAGS = {
  olderThan: momentAgo('--older-than <time>', 'Required: 72h, 7d or a time such as 2027-01-01; at least 1h ago'),
  status: STATUS,
  limit: integer('--limit <n>', 'The most jobs to remove (default: all)', { min: 1 }),
  dryRun: toggle('--dry-run', 'Only count what would be removed'),
  force: FORCE_FLAG,
};

export const purgeJobs = command({
  name: 'purge-jobs',
  summary: 'Remove finished background jobs and their attempts, oldest first',
  notes:
    'Memories stay; their processing histories lose these jobs. On a terminal it asks first; elsewhere it does not.',
  args: {},
  flags: FLAGS,
  examples: [
    'admin purge-jobs --older-than 30d --dry-run',
    'admin purge-jobs --older-than 7d --status SUCCEEDED -f',
    'admin purge-jobs --older-than 2026-01-01 --limit 10000 -o json',
  ],
  async run(context, { flags }) {
    const { status, limit, dryRun, force } = flags;
    const { olderThan } = needed(FLAGS, flags, ['olderThan']);
    if (!dryRun) {
      const question = 'Remove these jobs from the histories? This cannot be undone.';
      await confirmOnTerminal(context, { question, declined: 'Nothing was removed' }, force);
    }
    const response = await (await context.client()).call(AdminService.method.purgeBackgroundJobs, {
      olderThan: timestampFromMs(olderThan(context.io.now())),
      statuses: status,
      dryRun,
      limit: BigInt(limit ?? 0),
    });
    await writeRecord(context.io, jobPurgeView, response);
    return undefined;
  },
});
