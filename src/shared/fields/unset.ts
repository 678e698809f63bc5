import type { DescField } from '@bufbuild/protobuf';
import { ScalarType } from '@bufbuild/protobuf';
import { isScalarZeroValue } from '@bufbuild/protobuf/reflect';
import type { Rules } from '../gen/service/v1/options_pb.ts';
import { hasImplicitPresence } from '../json/options.ts';
import { rangeProblem, sizeProblem } from './bounds.ts';

/** Whether a field holds no value, or the default that cannot be told from none. */
export function isUnset(field: DescField, value: unknown): boolean {
  if (value === undefined) return true;
  switch (field.fieldKind) {
    case 'list':
      return (value as unknown[]).length === 0;
    case 'map':
      return Object.keys(value as object).length === 0;
    case 'message':
      return false;
    case 'enum':
      return hasImplicitPresence(field) && value === 0;
    case 'scalar':
      return hasImplicitPresence(field) && isScalarZeroValue(field.scalar, value);
  }
}

/**
 * What to say of a field without a value; `undefined` when it may lack one. Bounds that exclude the default speak first,
 * being true both of a default that was given and of a value that was left out. A required number whose bounds allow 0 is
 * judged by the JSON reader, which still sees what was given.
 */
export function unsetProblem(field: DescField, rule: Rules): string | undefined {
  const required = rule.required ? 'is required' : undefined;
  if (field.fieldKind === 'list' || field.fieldKind === 'map') {
    return sizeProblem(0, { min: rule.minItems, max: rule.maxItems }, 'item') ?? required;
  }
  if (field.fieldKind !== 'scalar' || !hasImplicitPresence(field) || !rule.required) return required;
  switch (field.scalar) {
    case ScalarType.STRING:
      return sizeProblem(0, { min: rule.minLen, max: rule.maxLen }, 'character') ?? required;
    case ScalarType.BYTES:
      return sizeProblem(0, { min: rule.minLen, max: rule.maxLen }, 'byte') ?? required;
    case ScalarType.BOOL:
      return undefined;
    default:
      return rangeProblem(0, rule);
  }
}
