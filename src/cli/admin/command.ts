import { EXIT } from '../../shared/exit-codes.ts';
import {
  AdminService,
  DrainResponseSchema,
  LifecycleStateSchema,
  PurgeBackgroundJobsResponseSchema,
  ReloadLicenseResponse_Status,
  ReloadLicenseResponse_StatusSchema,
  ReloadLicenseResponseSchema,
} from '../../shared/gen/service/v1/admin_pb.ts';
import { BackgroundJobStatus } from '../../shared/gen/service/v1/memory_pb.ts';
import { timestampFromMs } from '../../shared/time.ts';
import type { Command } from '../kit/command.ts';
import { command } from '../kit/define-command.ts';
import { type Flag, given, needed } from '../kit/flags/flag.ts';
import { choice, integer, text, toggle } from '../kit/flags/kinds.ts';
import { duration, momentAgo } from '../kit/flags/time.ts';
import { confirmOnTerminal, FORCE_FLAG } from '../kit/input/prompt.ts';
import { enumText, timeText } from '../kit/output/columns.ts';
import { type View, writeRecord } from '../kit/output/records.ts';
import { bytesText, yesNo } from '../kit/text/figures.ts';

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

const purgeJobs = command({
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

const jobPurgeView: View<typeof PurgeBackgroundJobsResponseSchema> = {
  desc: PurgeBackgroundJobsResponseSchema,
  columns: [
    { header: 'JOBS', value: ({ jobsPurged }) => String(jobsPurged), align: 'right', whole: true },
    { header: 'ATTEMPTS', value: ({ attemptsPurged }) => String(attemptsPurged), align: 'right', whole: true },
    {
      header: 'FROM HISTORIES',
      value: ({ referencesPurged }) => String(referencesPurged),
      align: 'right',
      whole: true,
    },
    { header: 'DRY RUN', value: ({ dryRun }) => yesNo(dryRun), whole: true },
  ],
};

const DEFAULT_DRAIN_MS = 900_000;
/** What the answer may take beyond the time that the server waits. */
const ANSWER_MS = 30_000;

const drain = command({
  name: 'drain',
  summary: 'Refuse new writes and let the running work finish',
  notes: [
    'Reads and retrievals go on. Only a restart ends the drain, so on a terminal it asks first; elsewhere it does not.',
    'With --wait: exit code 75 when something is still running after the time of --timeout.',
  ].join('\n\n'),
  args: {},
  flags: {
    timeout: duration('--timeout <time>', 'How long to wait for the running work: 30s, 5m (default 15m)'),
    reason: text('--reason <text>', 'Reason to write into the log of the server'),
    wait: toggle('--wait', 'Wait until nothing is running any more'),
    force: FORCE_FLAG,
  },
  examples: [
    'admin drain',
    "admin drain --wait --timeout 5m --reason 'upgrade to 1.5'",
    'admin drain -f --server https://node-2:9090 -o json',
  ],
  async run(context, { flags }) {
    const { timeout, reason, wait, force } = flags;
    const question = 'Drain the server? It takes no writes until it is restarted.';
    await confirmOnTerminal(context, { question, declined: 'Nothing was changed' }, force);
    const request = {
      waitForQuiesce: wait,
      ...given({ timeoutSec: timeout === undefined ? undefined : Math.ceil(timeout / 1000), reason }),
    };
    const timeoutMs = (wait ? (timeout ?? DEFAULT_DRAIN_MS) : 0) + ANSWER_MS;
    const response = await (await context.client()).call(AdminService.method.drain, request, { timeoutMs });
    await writeRecord(context.io, drainView, response);
    return wait && !response.quiesced ? EXIT.tryLater : undefined;
  },
});

const reloadLicense = command({
  name: 'reload-license',
  summary: 'Read the license directory again',
  notes:
    'The *.json file whose name sorts last counts. Exit code 1 when that file cannot be used; the old one then stays in force.',
  args: {},
  flags: {},
  examples: [
    'admin reload-license',
    'admin reload-license -o json',
    'admin reload-license -o ndjson | jq -r .activeLicense.filename',
  ],
  async run({ io, client }) {
    const response = await (await client()).call(AdminService.method.reloadLicense, {});
    await writeRecord(io, licenseReloadView, response);
    return response.status === ReloadLicenseResponse_Status.FAILED ? EXIT.failed : undefined;
  },
});

export const admin: readonly Command[] = [drain, purgeJobs, reloadLicense];

const drainView: View<typeof DrainResponseSchema> = {
  desc: DrainResponseSchema,
  columns: [
    { header: 'STATE', value: ({ state }) => enumText(LifecycleStateSchema, state), whole: true },
    { header: 'QUIESCED', value: ({ quiesced }) => yesNo(quiesced), whole: true },
    { header: 'MESSAGE', value: ({ message }) => message ?? '' },
  ],
};

const licenseReloadView: View<typeof ReloadLicenseResponseSchema> = {
  desc: ReloadLicenseResponseSchema,
  columns: [
    { header: 'STATUS', value: ({ status }) => enumText(ReloadLicenseResponse_StatusSchema, status), whole: true },
    { header: 'MESSAGE', value: ({ message }) => message ?? '' },
    { header: 'FILE', value: ({ activeLicense }) => activeLicense?.filename ?? '' },
    {
      header: 'SIZE',
      value: ({ activeLicense }) => (activeLicense === undefined ? '' : bytesText(activeLicense.sizeBytes)),
      align: 'right',
      whole: true,
    },
    { header: 'CHANGED', value: ({ activeLicense }) => timeText(activeLicense?.modifiedAt), whole: true },
    { header: 'SHA256', value: ({ activeLicense }) => activeLicense?.sha256 ?? '' },
  ],
};
