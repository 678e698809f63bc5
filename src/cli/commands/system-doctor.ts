import {
  type DiagnosisCheck,
  DiagnosisCheck_Status,
  DiagnosisCheck_StatusSchema,
  SystemService,
} from '../../shared/gen/service/v1/system_pb.ts';
import { command } from '../kit/define-command.ts';
import { EXIT } from '../kit/errors.ts';
import { enumText } from '../kit/output/columns.ts';
import { writeList } from '../kit/output/records.ts';
import { counted } from '../kit/text/figures.ts';
import { findingsText } from '../render/findings.ts';
import { diagnosisView } from '../views/diagnosis.ts';

const { FAIL } = DiagnosisCheck_Status;

export const doctor = command({
  name: 'doctor',
  isPaged: true,
  summary: 'Check what commonly goes wrong, and say what to do about it',
  notes: 'Exit code 1 when a check says FAIL: something does not work. WARN: look at it soon. For administrators.',
  args: {},
  flags: {},
  examples: [
    'system doctor',
    'system doctor -o json',
    'system doctor -o ndjson | jq -r \'select(.status != "OK").remedy\'',
  ],
  async run({ io, client }) {
    const { checks } = await (await client()).call(SystemService.method.diagnose, {});
    if (io.records === 'table') await io.stdout.write(findingsText(checks, io));
    else await writeList(io, diagnosisView, checks, 'The server made no checks.');
    if (!io.isData && checks.length > 0) await io.stderr.write(`${summaryOf(checks)}\n`);
    return checks.some(({ status }) => status === FAIL) ? EXIT.failed : undefined;
  },
});

function summaryOf(checks: readonly DiagnosisCheck[]): string {
  const counts = [FAIL, DiagnosisCheck_Status.WARN, DiagnosisCheck_Status.OK]
    .map((status) => ({ status, count: checks.filter((check) => check.status === status).length }))
    .filter(({ count }) => count > 0)
    .map(({ status, count }) => `${count} ${enumText(DiagnosisCheck_StatusSchema, status)}`);
  return `${counted(checks.length, 'check')}: ${counts.join(', ')}`;
}
