import { AdminService, ReloadLicenseResponse_Status } from '../../shared/gen/service/v1/admin_pb.ts';
import type { Command } from '../kit/command.ts';
import { command } from '../kit/define-command.ts';
import { EXIT } from '../kit/errors.ts';
import { given } from '../kit/flags/flag.ts';
import { text, toggle } from '../kit/flags/kinds.ts';
import { duration } from '../kit/flags/time.ts';
import { confirmOnTerminal, FORCE_FLAG } from '../kit/input/prompt.ts';
import { writeRecord } from '../kit/output/records.ts';
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
