import type { Io } from '../kit/output/io.ts';
import { type Column, renderTable } from '../kit/output/table.ts';
import { counted } from '../kit/text/figures.ts';

/** What an EXPLAIN status says, in the order in which it happens. */
const STEPS: Readonly<Record<string, string>> = {
  embedMs: 'embed',
  searchMs: 'search',
  loadMs: 'load',
  rerankMs: 'rerank',
  summarizeMs: 'summarize',
};

interface Row {
  step: string;
  ms: string;
  found: string;
}

const COLUMNS: readonly Column<Row>[] = [
  { header: 'STEP', value: ({ step }) => step },
  { header: 'MS', value: ({ ms }) => ms, align: 'right' },
  { header: 'READ', value: ({ found }) => found },
];

/** How the results were found: a line for each step that took time, and below the search one for each space. */
export function explainTable(
  { candidates = '0', ...details }: Readonly<Record<string, string>>,
  { width, color }: Pick<Io, 'width' | 'color'>,
): string {
  const spaces = Object.entries(details).filter(([name]) => name.startsWith('space.'));
  const rows = Object.entries(STEPS).flatMap(([name, step]): Row[] => {
    const ms = details[name];
    if (ms === undefined || (Number(ms) === 0 && step !== 'search')) return [];
    if (step !== 'search') return [{ step, ms, found: '' }];
    const scans = spaces.map(([space, scan]) => ({ step: '', ms: '', found: `${scan} in ${space.replace('.', ' ')}` }));
    return [{ step, ms, found: counted(Number(candidates), 'candidate') }, ...scans];
  });
  return renderTable(COLUMNS, rows, { width, rule: false, color });
}
