/** One line of an exposition. */
interface Series {
  name: string;
  labels: Readonly<Record<string, string>>;
  value: number;
}

export interface Exposition {
  series: readonly Series[];
  /** Declared metrics: their types by name. */
  types: ReadonlyMap<string, string>;
  /** The value of the series with exactly these labels. */
  value(name: string, labels?: Readonly<Record<string, string>>): number | undefined;
}

const LINE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"(?:,|$)/gy;

/** Reads Prometheus text. Throws for a line that is none. */
export function exposition(text: string): Exposition {
  const types = new Map<string, string>();
  const series: Series[] = [];
  for (const line of text.split('\n')) {
    const [, declared, type] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? [];
    if (declared !== undefined && type !== undefined) types.set(declared, type);
    if (line !== '' && !line.startsWith('#')) series.push(seriesOf(line));
  }
  const key = (name: string, labels: Readonly<Record<string, string>>) =>
    JSON.stringify([name, ...Object.entries(labels).toSorted()]);
  const values = new Map(series.map(({ name, labels, value }) => [key(name, labels), value]));
  return { series, types, value: (name, labels = {}) => values.get(key(name, labels)) };
}

function seriesOf(line: string): Series {
  const [, name, inner = '', value] = LINE.exec(line) ?? [];
  if (name === undefined || value === undefined) throw new Error(`not a line of an exposition: ${line}`);
  const pairs = [...inner.matchAll(LABEL)];
  if (pairs.map(([whole]) => whole).join('') !== inner) throw new Error(`labels that nobody can read: ${line}`);
  return {
    name,
    labels: Object.fromEntries(pairs.map(([, label, content]) => [label, content])),
    value: Number(value),
  };
}
