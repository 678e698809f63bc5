import { type DiagnosisCheck, DiagnosisCheck_StatusSchema } from '../../shared/gen/service/v1/system_pb.ts';
import { enumText } from '../kit/output/columns.ts';
import type { Io } from '../kit/output/io.ts';
import { COLUMN_GAP, type Column, renderTable } from '../kit/output/table.ts';
import { displayWidth, oneLine, wrap } from '../kit/text/printable.ts';

interface Line {
  status: string;
  name: string;
  text: string;
}

const STATUS: Column<Line> = { header: 'STATUS', value: ({ status }) => status, whole: true };
const CHECK: Column<Line> = { header: 'CHECK', value: ({ name }) => name, whole: true };
const FOUND: Column<Line> = { header: 'FOUND', value: ({ text }) => text };

const COLOURS: Readonly<Record<string, number>> = { OK: 32, WARN: 33, FAIL: 31 };

/** Checks as a table that cuts nothing: what was found and what to do about it go on below each other. */
export function findingsText(checks: readonly DiagnosisCheck[], { width, color }: Pick<Io, 'width' | 'color'>): string {
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
  return table.replace(/^(?:OK|WARN|FAIL)\b/gm, (word) => `\u001b[${COLOURS[word]}m${word}\u001b[39m`);
}
