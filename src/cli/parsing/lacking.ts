import { ERROR_CODES } from '../../shared/errors.ts';
import { CommandError } from '../kit/errors.ts';
import { type Flag, flagNames } from '../kit/flags/flag.ts';
import { choiceError } from '../kit/flags/kinds.ts';

/** What the server of this build cannot do yet. `what` is as it was called: `svc ocr`, `--search hybrid`. */
export function lackingError(what: string, next?: string): CommandError {
  return new CommandError(`This version of svc does not offer ${what} yet`, {
    code: 'UNIMPLEMENTED',
    exit: ERROR_CODES.UNIMPLEMENTED.exit,
    details: 'its server cannot do that',
    ...(next === undefined ? {} : { next }),
  });
}

/** Throws when the flag, or a value that it was given, is one that the server cannot serve yet. */
export function requireOffered({ term, choices = [], lacking }: Flag<unknown>, texts: readonly string[]): void {
  if (lacking === undefined || texts.length === 0) return;
  const name = flagNames(term).at(-1) ?? term;
  if (lacking === true) throw lackingError(name, 'Leave it out');
  const offered = choices.filter((choice) => !lacking.includes(choice));
  for (const text of texts) {
    const isText = (choice: string): boolean => choice.toLowerCase() === text.toLowerCase();
    const value = lacking.find(isText);
    if (value !== undefined) throw lackingError(`${name} ${value}`, `It offers: ${offered.join(', ')}`);
    if (!offered.some(isText)) throw choiceError(name, offered, text);
  }
}
