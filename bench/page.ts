import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const PAGE = fileURLToPath(new URL('../docs/performance.md', import.meta.url));
const PROMISES = 'promises';

/**
 * Writes what a bench found between its two comments, `<!-- bench NAME -->` and `<!-- end of NAME -->`, and all that is
 * promised into the section `promises`. What stands around the sections is left as it is; a new section goes to the end.
 */
export async function writeSection(name: string, markdown: string): Promise<void> {
  const page = replaced(await readFile(PAGE, 'utf8'), name, markdown);
  await writeFile(PAGE, replaced(page, PROMISES, printPromises(page)));
}

function replaced(page: string, name: string, markdown: string): string {
  const [begin, end] = [`<!-- bench ${name} -->`, `<!-- end of ${name} -->`];
  const section = `${begin}\n${markdown.trim()}\n${end}`;
  const from = page.indexOf(begin);
  if (from < 0) return `${page.trimEnd()}\n\n## ${name}\n\n${section}\n`;
  const to = page.indexOf(end, from);
  if (to < 0) throw new Error(`${PAGE} has no ${end}`);
  return page.slice(0, from) + section + page.slice(to + end.length);
}

/** The rows of all sections that promise something. */
function printPromises(page: string): string {
  const rows = [...page.matchAll(/<!-- bench (\S+) -->\n(.*?)\n<!-- end of \1 -->/gs)]
    .filter(([, name]) => name !== PROMISES)
    .flatMap(
      ([, , section = '']) => section.split('\n\n').reduce(promisesOf, { title: '', rows: [] as string[] }).rows,
    );
  return ['| What | measured | spread | bar | goal | reached |', '|---|---|---|---|---|---|', ...rows].join('\n');
}

/** Collects the rows of a table under the title that stands before it. */
function promisesOf(found: { title: string; rows: string[] }, block: string): { title: string; rows: string[] } {
  if (!block.startsWith('|')) return { ...found, title: /^\*\*(.*)\*\*$/.exec(block)?.[1] ?? found.title };
  const [headings = [], , ...lines] = block.split('\n').map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  const rows = lines.flatMap((cells) => {
    const cell = (heading: string) => cells[headings.indexOf(heading)] ?? '';
    if (cell('reached') === '') return [];
    // Of a figure that is no ratio, the bar names the column: `p99 ms ≤ 100`.
    const column = / [≤≥]/.exec(cell('bar'))?.index ?? 0;
    const of = cell('bar').slice(0, column);
    const over = cell('over') === '' ? '' : `, over ${cell('over')}`;
    const by = cell('by') === '' ? '' : ` by ${cell('by')}`;
    const measured = of === '' ? cell('ratio') : `${of} ${cell(of)}`;
    return `| ${found.title}: ${cell('What')}${over}${by} | ${measured} | ${cell('spread')} | ${cell('bar')} | ${cell('goal')} | ${cell('reached')} |`;
  });
  return { ...found, rows: [...found.rows, ...rows] };
}
