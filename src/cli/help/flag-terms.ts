import type { Flag } from '../kit/flags/flag.ts';
import { NO_BREAK } from '../kit/text/printable.ts';
import type { Term } from './page.ts';

const LONG_ONLY_INDENT = '    ';

/** Flags as terms. Where one has a short form the long forms stand below each other. */
export function flagTerms(
  flags: readonly Pick<Flag<unknown>, 'term' | 'description' | 'choices' | 'variable'>[],
): Term[] {
  const hasShort = flags.some(({ term }) => isShort(term));
  return flags.map((flag) => ({
    term: hasShort && !isShort(flag.term) ? `${LONG_ONLY_INDENT}${flag.term}` : flag.term,
    text: textOf(flag),
  }));
}

function isShort(term: string): boolean {
  return /^-[^-]/.test(term);
}

function textOf({
  description,
  choices,
  variable,
}: Pick<Flag<unknown>, 'description' | 'choices' | 'variable'>): string {
  const listed = choices === undefined ? '' : `: ${choices.join(', ')}`;
  return `${description}${listed}${variable === undefined ? '' : ` (env${NO_BREAK}${variable})`}`;
}
