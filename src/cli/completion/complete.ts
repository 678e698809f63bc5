import { bashAnswer } from './bash-answer.ts';
import { splitLine } from './bash-line.ts';
import { type Candidate, FILES } from './candidate.ts';
import { candidatesOf } from './candidates.ts';
import type { CompleteOptions } from './complete-options.ts';

/** CURRENT, TYPE and COLUMNS. */
const BASH_VALUES = 3;

/**
 * Answers the completion script of a shell: a candidate a line, its description behind a tab; the line `:files` alone asks
 * the shell to complete names of files. Called as
 *
 * - `[--next] -- WORD…` with the words behind `svc` up to the cursor; `--next` adds an empty one, which not every shell
 *   can pass,
 * - `--bash CURRENT TYPE COLUMNS -- LINE` with COMP_LINE up to the cursor, the word as bash sees it, COMP_TYPE and the
 *   width: bash cuts words at `:` and `=` and leaves the quoting to whoever answers.
 *
 * Fails silently: a shell in the middle of a line has no place for messages.
 */
export async function complete(argv: readonly string[], options: CompleteOptions): Promise<number> {
  const { host } = options;
  try {
    const [form, ...values] = argv;
    if (form === '--bash') {
      // Counted and not looked for: the word as bash sees it may be the separator too.
      const line = splitLine(values[BASH_VALUES + 1] ?? '');
      const found = await candidatesOf(line.words.slice(1), options);
      await host.stdout.write(found === FILES ? `${FILES}\n` : bashAnswer(found, line, values));
    } else {
      const rest = argv.slice(argv.indexOf('--') + 1);
      const found = await candidatesOf(form === '--next' ? [...rest, ''] : rest, options);
      await host.stdout.write(found === FILES ? `${FILES}\n` : linesOf(found));
    }
    return 0;
  } catch {
    return 1;
  }
}

function linesOf(candidates: readonly Candidate[]): string {
  return candidates.map(({ value, text }) => (text === '' ? `${value}\n` : `${value}\t${text}\n`)).join('');
}
