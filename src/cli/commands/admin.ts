import { AdminService, ReloadLicenseResponse_Status } from '../../shared/gen/service/v1/admin_pb.ts';
import { type Command, command } from '../command.ts';
import { EXIT } from '../failure.ts';
import { text, toggle } from '../flags/kinds.ts';
import { given } from '../flags/optional.ts';
import { duration } from '../flags/time.ts';
import { confirmOnTerminal, FORCE_FLAG } from '../input/confirm.ts';
import { writeRecord } from '../render/records.ts';
import { drainView } from '../views/drain.ts';
import { licenseReloadView } from '../views/license-reload.ts';
import { purgeJobs } from './admin-purge-jobs.ts';

const DEFAULT_DRAIN_MS = 900_000;
/** What the answer may take beyond the time that the server waits. */
const ANSWER_MS = 30_000;

const drain = command({
  name: 'drain',
  summary: 'Refuse new writes and let the running work finish',
  notes: [
    'Reads and retrievals are served on. There is no way back but a restart, so it asks on a terminal; a script is taken at its word.',
    'With --wait: exit code 75 when something is still running at the end of the time.',
  ].join('\n\n'),
  args: {},
  flags: {
    timeout: duration('--timeout <time>', 'How long to wait for the running work: 30s, 5m (default 15m)'),
    reason: text('--reason <text>', 'Goes into the log of the server'),
    wait: toggle('--wait', 'Answer only once nothing is running any more'),
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
    'Of its *.json files the last name in order counts. Exit code 1 when that file cannot be used; the old one stays.',
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
