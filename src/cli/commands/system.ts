import { SystemService } from '../../shared/gen/service/v1/system_pb.ts';
import type { Command } from '../kit/command.ts';
import { command, jsonFieldsOf } from '../kit/define-command.ts';
import { writeRecord } from '../kit/output/records.ts';
import { systemInfoView } from '../views/system-info.ts';
import { healthCommand } from './health.ts';
import { doctor } from './system-doctor.ts';
import { status } from './system-status.ts';

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

export const system: readonly Command[] = [info, status, healthCommand('system health'), doctor];
