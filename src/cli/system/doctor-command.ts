import { EXIT } from '../../shared/exit-codes.ts';
import {
  type DiagnosisCheck,
  DiagnosisCheck_Status,
  DiagnosisCheck_StatusSchema,
  DiagnosisCheckSchema,
  SystemService,
} from '../../shared/gen/service/v1/system_pb.ts';
import { command } from '../kit/define-command.ts';
import { enumText } from '../kit/output/columns.ts';
import type { Io } from '../kit/output/io.ts';
import { type View, writeList } from '../kit/output/records.ts';
import { COLUMN_GAP, type Column, renderTable } from '../kit/output/table.ts';
import { counted } from '../kit/text/figures.ts';
import { displayWidth, oneLine, wrap } from '../kit/text/printable.ts';

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

interface Line {
  status: string;
  name: string;
  text: string;
}

const STATUS: Column<Line> = { header: 'STATUS', value: ({ status }) => status, whole: true };
const CHECK: Column<Line> = { header: 'CHECK', value: ({ name }) => name, whole: true };
const FOUND: Column<Line> = { header: 'FOUND', value: ({ text }) => text };

const COLORS: Readonly<Record<string, number>> = { OK: 32, WARN: 33, FAIL: 31 };

/** Checks as a table that cuts nothing: what was found and what to do about it go on below each other. */
function findingsText(checks: readonly DiagnosisCheck[], { width, color }: Pick<Io, 'width' | 'color'>): string {
  const nameWidth = Math.max(CHECK.header.length, ...checks.map(({ name }) => displayWidth(oneLine(name))));
  const textWidth = width - STATUS.header.length - nameWidth - 2 * COLUMN_GAP;
  const lines = checks.flatMap(({ status, name, message, remedy }) => {
    const texts = remedy === '' ? [message] : [message, `To do: ${remedy}`];
    return texts
      .flatMap((text) => wrap(oneLine(text), textWidth))
      .map(
        (text, index): Line =>
          index === 0
            ? { status: enumText(DiagnosisCheck_StatusSchema, status), name, text }
            : { status: '', name: '', text },
      );
  });
  const table = renderTable([STATUS, CHECK, FOUND], lines, { width, rule: true, color });
  if (!color) return table;
  return table.replace(/^(?:OK|WARN|FAIL)\b/gm, (word) => `\u001b[${COLORS[word]}m${word}\u001b[39m`);
}

const diagnosisView: View<typeof DiagnosisCheckSchema> = {
  desc: DiagnosisCheckSchema,
  columns: [
    { header: 'STATUS', value: ({ status }) => enumText(DiagnosisCheck_StatusSchema, status), whole: true },
    { header: 'CHECK', value: ({ name }) => name, whole: true },
    { header: 'FOUND', value: ({ message }) => message },
    { header: 'TO DO', value: ({ remedy }) => remedy },
  ],
};
