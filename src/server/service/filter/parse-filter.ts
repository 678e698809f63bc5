import type { Filter } from '../../store/filter/ast.ts';
import { filterCost } from './cost.ts';
import { MAX_CHARACTERS, MAX_COST } from './limits.ts';
import { requireType } from './operand.ts';
import { FilterParser } from './parser.ts';
import { type FilterSource, filterError } from './place.ts';

/**
 * Parses and types a filter; blank text is no filter. `path` is the request field that holds it, for `details`.
 * Throws INVALID_ARGUMENT at the first error.
 */
export function parseFilter(text: string, path: string): Filter | undefined {
  if (/^\s*$/.test(text)) {
    return undefined;
  }
  // A lone surrogate has no UTF-8 form: it would reach PostgreSQL as U+FFFD inside a value and as an error inside a path.
  const source: FilterSource = { text: text.replace(/\p{Cs}/gu, '\uFFFD'), path };
  checkLength(source);
  const operand = new FilterParser(source).parse();
  if (operand.type === 'OPEN' && !operand.isNull) {
    throw filterError(operand.at, 'a filter must be BOOLEAN but an uncast value is TEXT (use CAST(… AS BOOLEAN))');
  }
  const condition = requireType(operand, 'BOOLEAN', 'a filter');
  const cost = filterCost(condition);
  if (cost > MAX_COST) {
    const problem = `the filter is too expensive: it takes ${cost} steps for each memory, and at most ${MAX_COST} are allowed`;
    throw filterError({ source, offset: 0 }, `${problem} (a list after IN is one step, however long)`);
  }
  return { condition };
}

function checkLength(source: FilterSource): void {
  let offset = 0;
  let count = 0;
  for (const character of source.text) {
    count += 1;
    if (count > MAX_CHARACTERS) {
      throw filterError({ source, offset }, `a filter may have at most ${MAX_CHARACTERS} characters`);
    }
    offset += character.length;
  }
}
