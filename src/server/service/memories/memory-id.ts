import { invalidFields, NOT_A_UUID } from '../../../shared/errors.ts';
import { isUuid } from '../../../shared/fields/formats.ts';

/** A memory id that stands alone in a list, in lower case. Throws INVALID_ARGUMENT. */
export function memoryIdOf(text: string): string {
  if (!isUuid(text)) throw invalidFields([{ path: 'memoryId', ...NOT_A_UUID }]);
  return text.toLowerCase();
}
