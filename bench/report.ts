import { type Figures, median, type Rounds } from './measure.ts';

/** One table of the page. */
export interface Table {
  title: string;
  rows: readonly Row[];
}

interface Row {
  what: string;
  /** What the ratio is taken over: another row of the table. */
  over?: string;
  /** The figure that is compared. */
  by?: string;
  /** Round by round, so that the varying load of the machine cancels out. */
  ratios?: readonly number[];
  /** Round by round, by the heading of their column. */
  figures: Readonly<Record<string, readonly number[]>>;
  promise?: Promised;
}

/** What is promised of one figure: `bar` must be reached, `goal` is wanted. */
export interface Promised {
  /** The heading of a column. */
  of: string;
  sign: '≤' | '≥';
  bar: number;
  goal: number;
}

const RATIO = 'ratio';

export function atMost(bar: number, goal: number, of = RATIO): Promised {
  return { of, sign: '≤', bar, goal };
}

export function atLeast(bar: number, goal: number, of = RATIO): Promised {
  return { of, sign: '≥', bar, goal };
}

/** A comparison of one contender with another by one figure, or without `over` a promise of a figure itself. */
export interface Compared<Name extends string> {
  over?: NoInfer<Name>;
  by?: string;
  promise?: Promised;
}

/**
 * One row for each contender and each of its comparisons; the figures of a contender stand in its first row. Figures and
 * ratios are medians of the rounds.
 */
export function table<Name extends string>(
  title: string,
  rounds: Rounds<Name>,
  comparisons?: Readonly<Partial<Record<NoInfer<Name>, readonly Compared<Name>[]>>>,
): Table {
  const rows = (Object.entries(rounds) as [Name, readonly Figures[]][]).flatMap(([what, measured]) => {
    const compared: readonly Compared<Name>[] = comparisons?.[what] ?? [{}];
    return compared.map(({ over, by = '', promise }, index): Row => {
      const row = { what, figures: index === 0 ? columns(measured) : {}, ...(promise && { promise }) };
      if (over === undefined) return row;
      const ratios = measured.map(
        (figures, round) => (figures[by] ?? Number.NaN) / (rounds[over][round]?.[by] ?? Number.NaN),
      );
      return { ...row, over, by, ratios };
    });
  });
  return { title, rows };
}

function columns(measured: readonly Figures[]): Record<string, number[]> {
  const headings = new Set(measured.flatMap((figures) => Object.keys(figures)));
  return Object.fromEntries(
    [...headings].map((heading) => [heading, measured.map((figures) => figures[heading] ?? Number.NaN)]),
  );
}

/** As Markdown. Columns that no row has are left out. */
export function printTable({ title, rows }: Table): string {
  const figures = [...new Set(rows.flatMap((row) => Object.keys(row.figures)))];
  const promised = rows.some(({ promise }) => promise !== undefined);
  const compared = rows.some(({ over }) => over !== undefined);
  const headings = [
    'What',
    ...(compared ? ['over', 'by', RATIO] : []),
    ...(compared || promised ? ['spread'] : []),
    ...figures,
    ...(promised ? ['bar', 'goal', 'reached'] : []),
  ];
  const lines = rows.map((row) => {
    const cells = cellsOf(row);
    return `| ${headings.map((heading) => cells[heading] ?? '').join(' | ')} |`;
  });
  return [`**${title}**`, '', `| ${headings.join(' | ')} |`, `|${'---|'.repeat(headings.length)}`, ...lines, ''].join(
    '\n',
  );
}

function cellsOf({ what, over = '', by = '', ratios, figures, promise }: Row): Record<string, string> {
  const cells: Record<string, string> = { What: what, over, by };
  for (const [heading, values] of Object.entries(figures)) cells[heading] = print(median(values));
  if (ratios !== undefined) cells[RATIO] = print(median(ratios));
  const spread = ratios ?? figures[promise?.of ?? ''] ?? [];
  if (spread.length > 1) cells.spread = `${print(Math.min(...spread))}–${print(Math.max(...spread))}`;
  if (promise === undefined) return cells;
  const measured = promise.of === RATIO ? ratios : figures[promise.of];
  const of = promise.of === RATIO ? '' : `${promise.of} `;
  cells.bar = `${of}${promise.sign} ${promise.bar}`;
  cells.goal = `${of}${promise.sign} ${promise.goal}`;
  cells.reached = reached(median(measured ?? []), promise);
  return cells;
}

function reached(value: number, { sign, bar, goal }: Promised): string {
  const reaches = (mark: number) => (sign === '≤' ? value <= mark : value >= mark);
  if (reaches(goal)) return 'goal';
  return reaches(bar) ? 'bar' : '**no**';
}

/** Three significant digits, and all before the point. */
function print(value: number): string {
  if (!Number.isFinite(value)) return '–';
  return Math.abs(value) >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(3)));
}
