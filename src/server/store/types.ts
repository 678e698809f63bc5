import pg from 'pg';
import { registerTypes } from 'pgvector/pg';

type Parse = (value: string) => unknown;

const INT8 = 20;
const INT8_ARRAY = 1016;
const TIMESTAMPTZ = 1184;
const HALFVEC = 'halfvec';

/** A number while that is exact, else a bigint: counts and sizes stay plain numbers. */
function parseInt8(text: string): number | bigint {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : BigInt(text);
}

/** One dimension, as array_agg makes it. */
function parseInt8Array(text: string): (number | bigint | null)[] {
  const items = text === '{}' ? [] : text.slice(1, -1).split(',');
  return items.map((item) => (item === 'NULL' ? null : parseInt8(item)));
}

/** How column values become JavaScript values, shared by every connection of one database. */
export class TypeParsers {
  readonly #own = new Map<number, Parse>();
  #halfvecOid: Promise<number> | undefined;

  constructor() {
    const date = pg.types.getTypeParser(TIMESTAMPTZ);
    this.#own.set(INT8, parseInt8);
    this.#own.set(INT8_ARRAY, parseInt8Array);
    // Epoch milliseconds are the unit of every interface; microseconds are cut off.
    this.#own.set(TIMESTAMPTZ, (value) => Math.floor(Number(date(value))));
  }

  /** In the shape that pg asks for; rows are read in text format. */
  readonly getTypeParser = (oid: number, format?: 'text' | 'binary') =>
    this.#own.get(oid) ?? pg.types.getTypeParser(oid, format);

  /** Learns the type numbers of the vector extension once and registers its parsers. */
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
export interface TypeRow {
  readonly typname: string;
  readonly oid: number;
}
