import { type Chapter, type Line, PLANNED_AREAS } from './line.ts';
import { partsOf } from './problems.ts';

/** The page, as Markdown. */
export function renderConformance(chapters: readonly Chapter[]): string {
  const lines = chapters.flatMap((chapter) => chapter.lines);
  const planned = lines.filter((line) => 'planned' in line);
  return [
    '# Conformance',
    '',
    'Every promise of the interface, in the order of its chapters, and the tests that show it. The page is generated from',
    '`test/conformance`, and `npm run check` fails when a test that is named here no longer exists.',
    '',
    `${lines.length} promises: ${lines.length - planned.length} shown by tests, ${planned.length} planned${plannedAreas(planned)}.`,
    ...chapters.flatMap(renderChapter),
    '',
  ].join('\n');
}

function plannedAreas(planned: readonly Line[]): string {
  const counts = PLANNED_AREAS.map((area) => ({
    area,
    count: planned.filter((line) => 'planned' in line && line.planned === area).length,
  })).filter(({ count }) => count > 0);
  return counts.length === 0 ? '' : ` (${counts.map(({ area, count }) => `${count} in ${area}`).join(', ')})`;
}

function renderChapter({ title, lines }: Chapter): string[] {
  return ['', `## ${title}`, '', '| Promise | Shown by |', '|---|---|', ...lines.map(renderLine)];
}

function renderLine(line: Line): string {
  const shown = 'planned' in line ? `planned: ${line.planned}` : line.shownBy.map(link).join('<br>');
  return `| ${cell(line.says)} | ${shown} |`;
}

function link(reference: Parameters<typeof partsOf>[0]): string {
  const { file, title } = partsOf(reference);
  return `[${file.replace(/\.ts$/, '')}](../test/${file}): ${cell(title)}`;
}

/** A bar would end the cell, and brackets of placeholders would be taken for HTML. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('\n', ' ');
}
