import { type CommandError, usageError } from '../failure.ts';
import { didYouMean } from '../parsing/suggest.ts';

/** A value that is none of those that are allowed. `name` is what it was given for: `--tls`, `SVC_TLS`. */
export function choiceError(name: string, choices: readonly string[], value: string): CommandError {
  const details = didYouMean(value, choices);
  const message = `${name} must be one of ${choices.join(', ')}, got "${value}"`;
  return usageError(message, details === undefined ? {} : { details });
}
