import type { CastType, ExtractPart } from '../../store/filter/ast.ts';
import { call, cast, coalesce, extract, field, nullValue, val } from './functions.ts';
import { MAX_DIGITS } from './limits.ts';
import { depthOver, type Operand, typed } from './operand.ts';
import { parsePath } from './path.ts';
import { filterError, type Place } from './place.ts';
import type { Token } from './scanner.ts';
import type { TokenReader } from './token-reader.ts';

const TYPES: readonly CastType[] = ['TEXT', 'NUMERIC', 'INTEGER', 'BOOLEAN', 'DATE', 'TIMESTAMP'];
const PARTS: readonly ExtractPart[] = [
  'YEAR',
  'QUARTER',
  'MONTH',
  'WEEK',
  'DAY',
  'DOW',
  'DOY',
  'HOUR',
  'MINUTE',
  'SECOND',
  'EPOCH',
];

/** Words of the grammar that cannot start a value: here they mean that a value is missing, not misspelled. */
const OPERATORS: readonly string[] = [
  ...['AND', 'OR', 'NOT', 'LIKE', 'ILIKE', 'BETWEEN', 'IN', 'IS', 'CONTAINS', 'OVERLAPS', 'AS', 'FROM'],
  ...TYPES,
  ...PARTS,
];

interface Context {
  tokens: TokenReader;
  /** The rule for a whole expression. */
  or: () => Operand;
  at: Place;
}

/** The values that start with a word. */
const WORDS: Record<string, (context: Context) => Operand> = {
  TRUE: ({ at }) => typed(at, 'BOOLEAN', { kind: 'boolean', value: true }),
  FALSE: ({ at }) => typed(at, 'BOOLEAN', { kind: 'boolean', value: false }),
  NULL: ({ at }) => nullValue(at),
  CURRENT_DATE: ({ at }) => typed(at, 'DATE', { kind: 'currentDate' }),
  NOW: (context) => inParentheses(context, () => typed(context.at, 'TIMESTAMP', { kind: 'now' })),
  CAST: (context) => inParentheses(context, () => castBody(context)),
  EXTRACT: (context) => inParentheses(context, () => extractBody(context)),
  VAL: (context) => inParentheses(context, () => val(context.at, parsePath(pathToken(context), { wildcards: false }))),
  EXISTS: (context) => inParentheses(context, () => existsBody(context)),
  FIELD: (context) => inParentheses(context, () => fieldBody(context)),
  LOWER: (context) => inParentheses(context, () => call(context.at, 'lower', context.or())),
  UPPER: (context) => inParentheses(context, () => call(context.at, 'upper', context.or())),
  LENGTH: (context) => inParentheses(context, () => call(context.at, 'length', context.or())),
  COALESCE: ({ tokens, or, at }) => {
    tokens.expectSymbol('(');
    return coalesce(
      at,
      tokens.nested(at, () => tokens.list(')', or)),
    );
  },
};

export function parsePrimary(tokens: TokenReader, or: () => Operand): Operand {
  const token = tokens.peek();
  const { at } = token;
  const context: Context = { tokens, or, at };
  const word = token.kind === 'word' && Object.hasOwn(WORDS, token.value) ? WORDS[token.value] : undefined;
  if (word !== undefined) {
    tokens.take();
    return word(context);
  }
  if (token.kind === 'string') {
    return typed(at, 'TEXT', { kind: 'text', value: tokens.take().value });
  }
  if (token.kind === 'number') {
    return number(tokens.take());
  }
  if (tokens.takeSymbol('[') !== undefined) {
    return array(context);
  }
  if (tokens.isSymbol('(')) {
    return { ...inParentheses(context, or), at };
  }
  const hint =
    token.kind === 'word' && !OPERATORS.includes(token.value)
      ? " (read metadata with val('$.name') and write text in single quotes)"
      : '';
  const error = tokens.unexpected('a value');
  throw hint === '' ? error : filterError(at, `expected a value but found "${token.raw}"${hint}`);
}

function inParentheses<T>({ tokens, at }: Context, body: () => T): T {
  tokens.expectSymbol('(');
  const result = tokens.nested(at, body);
  tokens.expectSymbol(')');
  return result;
}

function number(token: Token): Operand {
  const value = normalizeNumeral(token.raw);
  if (value === undefined) {
    throw filterError(token.at, `a number may have at most ${MAX_DIGITS} digits before and after its decimal point`);
  }
  return typed(token.at, 'NUMERIC', { kind: 'number', value });
}

function array({ tokens, or, at }: Context): Operand {
  const items = tokens.takeSymbol(']') === undefined ? tokens.nested(at, () => tokens.list(']', or)) : [];
  return { type: 'ARRAY', at, items, depth: depthOver(at, items) };
}

function castBody({ tokens, or, at }: Context): Operand {
  const operand = or();
  tokens.expectWord(['AS'], 'AS');
  return cast(at, operand, tokens.expectWord(TYPES, `a type (${TYPES.join(', ')})`));
}

function extractBody({ tokens, or, at }: Context): Operand {
  const part = tokens.expectWord(PARTS, `a part (${PARTS.join(', ')})`);
  tokens.expectWord(['FROM'], 'FROM');
  return extract(at, part, or());
}

function pathToken({ tokens }: Context): Token {
  return tokens.expectString('a path in single quotes');
}

function existsBody(context: Context): Operand {
  const path = parsePath(pathToken(context), { wildcards: true });
  return typed(context.at, 'BOOLEAN', { kind: 'exists', path });
}

function fieldBody({ tokens, at }: Context): Operand {
  const name = tokens.expectString("a field's name in single quotes");
  return field(at, name.value, name.at);
}

/** A number of the grammar as decimal text that is a JSON number too, or undefined when it has too many digits. */
function normalizeNumeral(text: string): string | undefined {
  const [, whole = '', decimals = '', exponent = '0'] = /^(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const integer = whole.replace(/^0+(?=\d)/, '');
  const fraction = decimals.replace(/0+$/, '');
  if (integer === '0' && fraction === '') {
    return '0';
  }
  const power = Number(exponent);
  const leading = integer === '0' ? -(/^0*/.exec(fraction)?.[0].length ?? 0) : integer.length;
  if (leading + power > MAX_DIGITS || fraction.length - power > MAX_DIGITS) {
    return undefined;
  }
  const mantissa = fraction === '' ? integer : `${integer}.${fraction}`;
  return power === 0 ? mantissa : `${mantissa}e${power}`;
}
