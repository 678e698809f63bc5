/** One comparison: how long the product takes for what the raw part takes, both measured in the same run. */
export interface Comparison {
  name: string;
  unit: string;
  rows: readonly Row[];
}

interface Row {
  what: string;
  /** Median over the rounds, in the unit. */
  median: number;
  /**
   * The same as a multiple of the first row; measured round by round, so that the varying load of the machine cancels
   * out.
   */
  ratio: number;
}

/** From the rounds of each contender to rows; the first contender is the base. `cost`: smaller is better. */
export function compare(name: string, unit: string, rounds: Readonly<Record<string, readonly number[]>>): Comparison {
  const entries = Object.entries(rounds);
  const base = entries[0]?.[1] ?? [];
  const rows = entries.map(([what, values]) => ({
    what,
    median: median(values),
    ratio: median(values.map((value, round) => value / (base[round] ?? Number.NaN))),
  }));
  return { name, unit, rows };
}

function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** Nearest rank. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

/** As a Markdown table. */
export function printComparison({ name, unit, rows }: Comparison): string {
  const lines = rows.map(
    ({ what, median: value, ratio }) => `| ${what} | ${value.toPrecision(3)} | ${ratio.toFixed(2)} |`,
  );
  return [`\n## ${name}\n`, `| what | ${unit} | ratio |`, '|---|---|---|', ...lines, ''].join('\n');
}
