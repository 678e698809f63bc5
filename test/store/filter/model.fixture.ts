import fc from 'fast-check';

/**
 * The filter language a second time, as naively as possible: each generated node carries its text and its value for a
 * given metadata. Numbers are exact fractions, null is NULL.
 */

type Metadata = Record<string, unknown>;
type Fraction = readonly [bigint, bigint];
type Kinds = { text: string; number: Fraction; boolean: boolean };

interface Node<T> {
  text: string;
  of: (metadata: Metadata) => T | null;
}

const MEMBERS = ['a', 'b', 'c', 'd'];
const WORDS = ['', 'x', 'X', 'xy', 'x%', '_', "o'n", '5', '-1.5', 'true', 'false', 'é', '\\'];

const scalar = fc.oneof(
  fc.constantFrom(...WORDS),
  fc.integer({ min: -9, max: 9 }),
  fc.constantFrom(1.5, -2.25, 0.1),
  fc.boolean(),
  fc.constant(null),
);

/** Members of any kind, each possibly missing. */
export const metadata: fc.Arbitrary<Metadata> = fc.dictionary(
  fc.constantFrom(...MEMBERS),
  fc.oneof(
    { weight: 4, arbitrary: scalar },
    { weight: 3, arbitrary: fc.array(scalar, { maxLength: 4 }) },
    { weight: 1, arbitrary: fc.constant({ x: 1 }) },
  ),
);

const gcd = (a: bigint, b: bigint): bigint => (b === 0n ? (a < 0n ? -a : a) : gcd(b, a % b));

function fraction(top: bigint, bottom: bigint): Fraction {
  const divisor = gcd(top, bottom) * (bottom < 0n ? -1n : 1n);
  return [top / divisor, bottom / divisor];
}

function numeral(text: string): Fraction | null {
  const [, sign, whole, decimals = ''] = /^([+-]?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (whole === undefined) {
    return null;
  }
  const value = fraction(BigInt(whole + decimals), 10n ** BigInt(decimals.length));
  return sign === '-' ? [-value[0], value[1]] : value;
}

const quoted = (value: string) => `'${value.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;

const READ: { [K in keyof Kinds]: (value: unknown) => Kinds[K] | null } = {
  text: (value) => (typeof value === 'string' ? value : null),
  number: (value) => (typeof value === 'string' || typeof value === 'number' ? numeral(String(value)) : null),
  boolean: (value) => {
    return value === true || value === 'true' ? true : value === false || value === 'false' ? false : null;
  },
};

const TYPES = { text: 'TEXT', number: 'NUMERIC', boolean: 'BOOLEAN' };

function reads<K extends keyof Kinds>(kind: K): fc.Arbitrary<Node<Kinds[K]>> {
  return fc.tuple(fc.constantFrom(...MEMBERS), fc.option(fc.nat(3))).map(([name, index]) => ({
    text: `CAST(val('$.${name}')${index === null ? '' : `[${index}]`} AS ${TYPES[kind]})`,
    of: (data) => {
      const value = data[name];
      const found = index === null ? value : Array.isArray(value) ? value[index] : undefined;
      return READ[kind](found);
    },
  }));
}

/** A node over others that is NULL as soon as one of them is. */
function strict<A, T>(operands: readonly Node<A>[], text: string, of: (values: A[]) => T | null): Node<T> {
  return {
    text,
    of: (data) => {
      const values: A[] = [];
      for (const operand of operands) {
        const value = operand.of(data);
        if (value === null) {
          return null;
        }
        values.push(value);
      }
      return of(values);
    },
  };
}

function coalesced<T>(one: Node<T>, other: Node<T>): Node<T> {
  return { text: `coalesce(${one.text}, ${other.text})`, of: (data) => one.of(data) ?? other.of(data) };
}

function arithmetic(operator: string, [a, b]: Fraction, [c, d]: Fraction): Fraction | null {
  switch (operator) {
    case '+':
      return fraction(a * d + c * b, b * d);
    case '-':
      return fraction(a * d - c * b, b * d);
    case '*':
      return fraction(a * c, b * d);
    case '%':
      return c === 0n ? null : fraction((a * d) % (c * b), b * d);
    default:
      return c === 0n ? null : fraction(a * d, b * c);
  }
}

const COMPARE: Record<string, (order: number) => boolean> = {
  '=': (order) => order === 0,
  '<>': (order) => order !== 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
};

function order(a: unknown, b: unknown): number {
  if (Array.isArray(a) && Array.isArray(b)) {
    const difference = a[0] * b[1] - b[0] * a[1];
    return difference < 0n ? -1 : difference > 0n ? 1 : 0;
  }
  return a === b ? 0 : (a as string) < (b as string) ? -1 : 1;
}

function and(a: boolean | null, b: boolean | null): boolean | null {
  return a === false || b === false ? false : a === null || b === null ? null : true;
}

const not = (a: boolean | null) => (a === null ? null : !a);

/** SQL's IN over values that may be NULL. */
function anyOf(values: readonly (boolean | null)[]): boolean | null {
  return values.includes(true) ? true : values.includes(null) ? null : false;
}

function comparison<T>(side: fc.Arbitrary<Node<T>>): fc.Arbitrary<Node<boolean>> {
  const compared = fc.tuple(side, fc.constantFrom(...Object.keys(COMPARE)), side).map(([a, operator, b]) => {
    return strict([a, b], `${a.text} ${operator} ${b.text}`, ([x, y]) => COMPARE[operator]?.(order(x, y)) ?? null);
  });
  const between = fc.tuple(side, side, side, fc.boolean()).map(([a, low, high, negative]) => ({
    text: `${a.text} ${negative ? 'NOT ' : ''}BETWEEN ${low.text} AND ${high.text}`,
    of: (data: Metadata) => {
      const [x, y, z] = [a.of(data), low.of(data), high.of(data)];
      const result = and(
        x === null || y === null ? null : order(x, y) >= 0,
        x === null || z === null ? null : order(x, z) <= 0,
      );
      return negative ? not(result) : result;
    },
  }));
  const oneOf = fc
    .tuple(side, fc.array(side, { minLength: 1, maxLength: 3 }), fc.boolean())
    .map(([a, items, negative]) => ({
      text: `${a.text} ${negative ? 'NOT ' : ''}IN (${items.map(({ text }) => text).join(', ')})`,
      of: (data: Metadata) => {
        const x = a.of(data);
        const result = anyOf(
          items.map((item) => item.of(data)).map((y) => (x === null || y === null ? null : order(x, y) === 0)),
        );
        return negative ? not(result) : result;
      },
    }));
  const isNull = fc.tuple(side, fc.boolean()).map(([a, negative]) => ({
    text: `${a.text} IS ${negative ? 'NOT ' : ''}NULL`,
    of: (data: Metadata) => (a.of(data) === null) !== negative,
  }));
  return fc.oneof(compared, between, oneOf, isNull);
}

const literalScalar = fc.oneof(fc.constantFrom(...WORDS), fc.integer({ min: 0, max: 9 }), fc.boolean());
const literalText = (value: unknown) => (typeof value === 'string' ? quoted(value) : String(value));

const arrays: fc.Arbitrary<Node<boolean>> = fc
  .tuple(
    fc.constantFrom(...MEMBERS),
    fc.array(literalScalar, { maxLength: 3 }),
    fc.constantFrom('CONTAINS', 'OVERLAPS', 'IN'),
  )
  .map(([name, items, operator]) => ({
    text:
      operator === 'IN'
        ? `${literalText(items[0] ?? 'x')} IN val('$.${name}')`
        : `val('$.${name}') ${operator} [${items.map(literalText).join(', ')}]`,
    of: (data) => {
      const value = data[name];
      if (!Array.isArray(value)) {
        return null;
      }
      const has = (item: unknown) => value.includes(item);
      return operator === 'IN' ? has(items[0] ?? 'x') : operator === 'CONTAINS' ? items.every(has) : items.some(has);
    },
  }));

function like(text: fc.Arbitrary<Node<string>>): fc.Arbitrary<Node<boolean>> {
  const pattern = fc.constantFrom('%', 'x%', '_', 'X_', '\\%', '%\\', 'x\\%', '%y');
  return fc.tuple(text, pattern, fc.constantFrom('LIKE', 'ILIKE')).map(([a, written, operator]) =>
    strict([a], `${a.text} ${operator} ${quoted(written)}`, ([value = '']) => {
      if (/(?<!\\)(?:\\\\)*\\$/.test(written)) {
        return null;
      }
      const source = written.replace(/\\(.)|(%)|(_)/g, (_, literal, many) => {
        return literal === undefined
          ? many === undefined
            ? '.'
            : '.*'
          : `\\u{${literal.codePointAt(0).toString(16)}}`;
      });
      return new RegExp(`^${source}$`, operator === 'ILIKE' ? 'isu' : 'su').test(value);
    }),
  );
}

/** Expressions of each kind up to a few levels deep. */
export const expressions = fc.letrec<{ text: Node<string>; number: Node<Fraction>; boolean: Node<boolean> }>((tie) => ({
  text: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(...WORDS).map((value) => ({ text: quoted(value), of: () => value })),
    reads('text'),
    tie('text').map((a) => strict([a], `lower(${a.text})`, ([x = '']) => x.toLowerCase())),
    tie('text').map((a) => strict([a], `upper(${a.text})`, ([x = '']) => x.toUpperCase())),
    fc.tuple(tie('text'), tie('text')).map(([a, b]) => strict([a, b], `(${a.text} || ${b.text})`, (x) => x.join(''))),
    fc.tuple(tie('text'), tie('text')).map(([a, b]) => coalesced(a, b)),
  ),
  number: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom('0', '1', '2.50', '7', '1.5e1').map((text) => ({
      text,
      of: () => (text === '1.5e1' ? ([15n, 1n] as const) : numeral(text)),
    })),
    reads('number'),
    tie('number').map((a) =>
      strict([a], `(- ${a.text})`, ([x]) => (x === undefined ? null : ([-x[0], x[1]] as const))),
    ),
    fc.tuple(tie('number'), fc.constantFrom('+', '-', '*', '%'), tie('number')).map(([a, operator, b]) =>
      strict([a, b], `(${a.text} ${operator} ${b.text})`, ([x, y]) => {
        return x === undefined || y === undefined ? null : arithmetic(operator, x, y);
      }),
    ),
    // Only divisors that leave a finite decimal: the rest is rounded, and by whom is not the question here.
    fc
      .tuple(tie('number'), fc.constantFrom('0', '2', '5'))
      .map(([a, divisor]) =>
        strict([a], `(${a.text} / ${divisor})`, ([x]) =>
          x === undefined ? null : arithmetic('/', x, [BigInt(divisor), 1n]),
        ),
      ),
    tie('text').map((a) => strict([a], `length(${a.text})`, ([x = '']) => [BigInt([...x].length), 1n] as const)),
    tie('text').map((a) => strict([a], `CAST(${a.text} AS NUMERIC)`, ([x = '']) => numeral(x))),
    fc.tuple(tie('number'), tie('number')).map(([a, b]) => coalesced(a, b)),
  ),
  boolean: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(true, false).map((value) => ({ text: String(value), of: () => value })),
    fc.constant({ text: 'NULL', of: () => null }),
    reads('boolean'),
    comparison(tie('text')),
    comparison(tie('number')),
    like(tie('text')),
    arrays,
    tie('boolean').map((a) => ({ text: `NOT (${a.text})`, of: (data: Metadata) => not(a.of(data)) })),
    fc.tuple(tie('boolean'), tie('boolean')).map(([a, b]) => ({
      text: `(${a.text}) AND (${b.text})`,
      of: (data: Metadata) => and(a.of(data), b.of(data)),
    })),
    fc.tuple(tie('boolean'), tie('boolean')).map(([a, b]) => ({
      text: `(${a.text}) OR (${b.text})`,
      of: (data: Metadata) => not(and(not(a.of(data)), not(b.of(data)))),
    })),
  ),
}));
