import type { CastType, ExtractPart, FieldName, FilterType, PathStep } from '../../store/filter/ast.ts';
import {
  depthOver,
  describe,
  type OpenOperand,
  type Operand,
  requireType,
  type TypedOperand,
  typed,
  unify,
} from './operand.ts';
import { filterError, type Place } from './place.ts';

const FIELD_TYPES: Record<FieldName, FilterType> = {
  createdAt: 'TIMESTAMP',
  updatedAt: 'TIMESTAMP',
  contentType: 'TEXT',
  memoryId: 'TEXT',
  processingStatus: 'TEXT',
};

/** The target types of casts from each type, besides itself. TEXT can be cast to every type. */
const CASTS: Record<Exclude<FilterType, 'TEXT'>, readonly CastType[]> = {
  NUMERIC: ['INTEGER'],
  BOOLEAN: [],
  DATE: ['TIMESTAMP'],
  TIMESTAMP: ['DATE'],
};

export function val(at: Place, path: readonly PathStep[]): OpenOperand {
  return { type: 'OPEN', at, depth: 0, path, isNull: false, as: (type) => ({ kind: 'read', path, as: type }) };
}

export function nullValue(at: Place): OpenOperand {
  return { type: 'OPEN', at, depth: 0, isNull: true, as: (type) => ({ kind: 'null', type }) };
}

function isFieldName(name: string): name is FieldName {
  return Object.hasOwn(FIELD_TYPES, name);
}

/** `nameAt` is the position of the name. */
export function field(at: Place, name: string, nameAt: Place): TypedOperand {
  if (!isFieldName(name)) {
    throw filterError(nameAt, `expected a field (${Object.keys(FIELD_TYPES).join(', ')}) but found '${name}'`);
  }
  return typed(at, FIELD_TYPES[name], { kind: 'field', name });
}

export function cast(at: Place, operand: Operand, to: CastType): TypedOperand {
  const type: FilterType = to === 'INTEGER' ? 'NUMERIC' : to;
  if (operand.type === 'OPEN') {
    return typed(at, type, operand.as(to), [operand]);
  }
  if (operand.type === to) {
    return typed(at, type, operand.expression, [operand]);
  }
  if (operand.type === 'ARRAY' || (operand.type !== 'TEXT' && !CASTS[operand.type].includes(to))) {
    throw filterError(operand.at, `cannot cast ${describe(operand)} to ${to}`);
  }
  return typed(at, type, { kind: 'cast', from: operand.type, to, operand: operand.expression }, [operand]);
}

export function extract(at: Place, part: ExtractPart, operand: Operand): TypedOperand {
  return typed(at, 'NUMERIC', { kind: 'extract', part, operand: requireType(operand, 'TIMESTAMP', 'EXTRACT') }, [
    operand,
  ]);
}

export function call(at: Place, name: 'lower' | 'upper' | 'length', operand: Operand): TypedOperand {
  const expression = { kind: 'call', name, operand: requireType(operand, 'TEXT', name) } as const;
  return typed(at, name === 'length' ? 'NUMERIC' : 'TEXT', expression, [operand]);
}

/** With only uncast values it stays open: they get the type that the context requires. */
export function coalesce(at: Place, operands: readonly Operand[]): Operand {
  const open = operands.filter((operand): operand is OpenOperand => operand.type === 'OPEN');
  if (open.length < operands.length) {
    const { type, expressions } = unify(operands, 'coalesce');
    return typed(at, type, { kind: 'coalesce', operands: expressions }, operands);
  }
  return {
    type: 'OPEN',
    at,
    depth: depthOver(at, operands),
    isNull: open.every(({ isNull }) => isNull),
    as: (type) => ({ kind: 'coalesce', operands: open.map((operand) => operand.as(type)) }),
  };
}

/** `operand[…]`. `step` is the element, `bracket` the place of the bracket. */
export function element(operand: Operand, index: number, step: PathStep, bracket: Place): Operand {
  if (operand.type === 'ARRAY') {
    return operand.items[index] ?? nullValue(operand.at);
  }
  if (operand.type === 'OPEN' && operand.path !== undefined) {
    return { ...val(operand.at, [...operand.path, step]), depth: depthOver(bracket, [operand]) };
  }
  if (operand.type === 'OPEN' && operand.isNull) {
    return operand;
  }
  throw filterError(bracket, `only val(…) and arrays can be indexed but found ${describe(operand)}`);
}
