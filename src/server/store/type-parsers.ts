import pg from 'pg';
import { registerTypes } from 'pgvector/pg';

type Parse = (value: string) => unknown;

const INT8 = 20;
const INT8_ARRAY = 1016;
const TIMESTAMPTZ = 1184;
const HALFVEC = 'halfvec';

/** A number where that is exact, else a bigint, so that counts and sizes are plain numbers. */
function parseInt8(text: string): number | bigint {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : BigInt(text);
}

/** One dimension, as array_agg makes it. */
function parseInt8Array(text: string): (number | bigint | null)[] {
  const items = text === '{}' ? [] : text.slice(1, -1).split(',');
  return items.map((item) => (item === 'NULL' ? null : parseInt8(item)));
}

const ZERO = 48;

/** The number of two digits. */
function two(text: string, at: number): number {
  return (text.charCodeAt(at) - ZERO) * 10 + text.charCodeAt(at + 1) - ZERO;
}

/**
 * Epoch milliseconds, the unit of every interface; microseconds are truncated. What is neither in UTC nor in the years 1000
 * to 9999, as nearly every time is, pg reads, which takes ten times as long.
 */
function parseTimestamp(text: string, read: Parse): number {
  const end = text.length - 3;
  const isPlain = text.charCodeAt(4) === 45 && text.charCodeAt(10) === 32 && text.charCodeAt(0) !== ZERO;
  if (!isPlain || text.charCodeAt(end) !== 43 || two(text, end + 1) !== 0) return Math.floor(Number(read(text)));
  let ms = 0;
  for (let at = 20, unit = 100; at < end && unit >= 1; at += 1, unit /= 10) ms += (text.charCodeAt(at) - ZERO) * unit;
  const year = two(text, 0) * 100 + two(text, 2);
  return Date.UTC(year, two(text, 5) - 1, two(text, 8), two(text, 11), two(text, 14), two(text, 17), ms);
}

/** Parsers from column values to JavaScript values, shared by all connections to one database. */
export class TypeParsers {
  readonly #own = new Map<number, Parse>();
  #halfvecOid: Promise<number> | undefined;

  constructor() {
    const date = pg.types.getTypeParser(TIMESTAMPTZ);
    this.#own.set(INT8, parseInt8);
    this.#own.set(INT8_ARRAY, parseInt8Array);
    this.#own.set(TIMESTAMPTZ, (value) => parseTimestamp(value, date));
  }

  /** Has the signature that pg expects; rows are read in text format. */
  readonly getTypeParser = (oid: number, format?: 'text' | 'binary') =>
    this.#own.get(oid) ?? pg.types.getTypeParser(oid, format);

  /** The OID of halfvec. The first call looks up the OIDs of the vector extension and registers its parsers. */
  halfvecOid(query: (text: string, values: string[]) => Promise<{ rows: TypeRow[] }>): Promise<number> {
    this.#halfvecOid ??= this.#learn(query).catch((error: unknown) => {
      this.#halfvecOid = undefined;
      throw error;
    });
    return this.#halfvecOid;
  }

  async #learn(query: (text: string, values: string[]) => Promise<{ rows: TypeRow[] }>): Promise<number> {
    let halfvec: number | undefined;
    await registerTypes({
      query: async (text: string, values: string[]) => {
        const result = await query(text, values);
        halfvec = result.rows.find((row) => row.typname === HALFVEC)?.oid;
        return result;
      },
      setTypeParser: (oid: number, _format: string, parse: Parse) => this.#own.set(oid, parse),
    });
    if (halfvec === undefined) throw new Error('the vector extension of this database has no type halfvec');
    return halfvec;
  }
}

/** A row of the look-up that pgvector makes. */
interface TypeRow {
  readonly typname: string;
  readonly oid: number;
}
