import { ServiceError } from '../../../shared/errors.ts';

/** The string of a filter and the path of its request field, e.g. `spaceKeys[0].filter`. */
export interface FilterSource {
  text: string;
  path: string;
}

/** A position in a filter: `offset` counts UTF-16 units from 0. */
export interface Place {
  source: FilterSource;
  offset: number;
}

/** The error of an invalid filter. Lines and columns count from 1, columns in code points; `\r\n`, `\n` and `\r` end a line. */
export function filterError({ source, offset }: Place, problem: string): ServiceError {
  const lines = source.text.slice(0, offset).split(/\r\n|\n|\r/);
  const column = [...(lines.at(-1) ?? '')].length + 1;
  return new ServiceError('INVALID_ARGUMENT', `Invalid filter: Parse error at line ${lines.length}, column ${column}`, {
    details: `${source.path}: ${problem}`,
    violations: [{ path: source.path, problem, isQuoting: true }],
  });
}
