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

/** Parsers from column values to JavaScript values, shared by all connections to one database. */
export class TypeParsers {
  readonly #own = new Map<number, Parse>();
  #halfvecOid: Promise<number> | undefined;

  constructor() {
    const date = pg.types.getTypeParser(TIMESTAMPTZ);
    this.#own.set(INT8, parseInt8);
    this.#own.set(INT8_ARRAY, parseInt8Array);
    // Epoch milliseconds are the unit of every interface; microseconds are truncated.
    this.#own.set(TIMESTAMPTZ, (value) => Math.floor(Number(date(value))));
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
