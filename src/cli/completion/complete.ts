import { TOPICS } from '../help/topics.ts';
import { type CommandEntry, offeredEntries } from '../kit/command.ts';
import { type FlagSet, flagNames, takesValue } from '../kit/flags/flag.ts';
import { oneLine } from '../kit/text/printable.ts';
import { bashAnswer, splitLine } from './bash.ts';
import { type CompleteOptions, type CompletionCandidate, FILES, isTypeable, liveNames } from './live-names.ts';
import { type Slot, slotOf, type TypedWords, type ValueKind } from './slot.ts';

/** CURRENT, TYPE and COLUMNS. */
const BASH_VALUES = 3;

/**
 * Answers the completion script of a shell: a candidate a line, its description behind a tab; the line `:files` alone asks
 * the shell to complete names of files. Called as
 *
 * - `[--next] -- WORD…` with the words behind `svc` up to the cursor; `--next` adds an empty one, which not every shell
 *   can pass,
 * - `--bash CURRENT TYPE COLUMNS -- LINE` with COMP_LINE up to the cursor, the word as bash sees it, COMP_TYPE and the
 *   width: bash cuts words at `:` and `=` and leaves the quoting to the answer.
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

function linesOf(candidates: readonly CompletionCandidate[]): string {
  return candidates.map(({ value, text }) => (text === '' ? `${value}\n` : `${value}\t${text}\n`)).join('');
}

const OWN_FLAGS: readonly CompletionCandidate[] = [
  { value: '--help', text: 'Print help' },
  { value: '--version', text: 'Print the version' },
];

/** What can follow. `words` are those behind `svc`; the last one is under the cursor. */
async function candidatesOf(
  words: readonly string[],
  options: CompleteOptions,
): Promise<readonly CompletionCandidate[] | typeof FILES> {
  const slot = await slotOf(options.entries, words);
  const current = words.at(-1) ?? '';
  const found = await valuesFor(slot, words, options);
  if (found === FILES) return FILES;
  return found
    .filter(({ value }) => value.startsWith(current))
    .map(({ value, text }) => ({ value, text: oneLine(text) }));
}

async function valuesFor(
  slot: Slot,
  words: readonly string[],
  options: CompleteOptions,
): Promise<readonly CompletionCandidate[] | typeof FILES> {
  switch (slot.kind) {
    case 'entries':
      return entryCandidates(options.entries);
    case 'verbs':
      return slot.commands.map(({ name, summary }) => ({ value: name, text: summary }));
    case 'flags':
      return flagCandidates(slot.flags, slot.given);
    case 'nothing':
      return [];
    case 'value': {
      const partial = (words.at(-1) ?? '').slice(slot.prefix.length);
      const found = await valueCandidates(slot.value, { partial, words, given: slot.given }, options);
      if (found === FILES) return FILES;
      return found
        .filter(({ value }) => isTypeable(value))
        .map(({ value, text }) => ({ value: slot.prefix + value, text }));
    }
  }
}

async function valueCandidates(
  { choices = [], completes }: ValueKind,
  { partial, words, given }: { partial: string; words: readonly string[]; given: TypedWords },
  options: CompleteOptions,
): Promise<readonly CompletionCandidate[] | typeof FILES> {
  if (completes === 'files') return FILES;
  if (completes === 'commands') return await helpCandidates(words, options);
  const listed = choices.map((value) => ({ value, text: '' }));
  return completes === undefined ? listed : [...listed, ...(await liveNames(completes, { partial, given }, options))];
}

function entryCandidates(entries: readonly CommandEntry[]): CompletionCandidate[] {
  return offeredEntries(entries).map(({ name, summary }) => ({ value: name, text: summary }));
}

/** What stands behind `svc help`: commands and topics, then the commands of a noun. */
async function helpCandidates(
  words: readonly string[],
  { entries }: CompleteOptions,
): Promise<readonly CompletionCandidate[]> {
  const about = await slotOf(entries, words.slice(words.indexOf('help') + 1));
  if (about.kind === 'verbs') return about.commands.map(({ name, summary }) => ({ value: name, text: summary }));
  if (about.kind !== 'entries') return [];
  return [...entryCandidates(entries), ...TOPICS.map(({ name, summary }) => ({ value: name, text: summary }))];
}

/** Long forms only, which say what they are; a switch that has been given is not offered again. */
function flagCandidates(flags: FlagSet, given: TypedWords): CompletionCandidate[] {
  const open = Object.entries(flags).filter(([key, { term }]) => takesValue(term) || given.flags[key] === undefined);
  return [
    ...open.map(([, { term, description }]) => ({ value: flagNames(term).at(-1) ?? term, text: description })),
    ...OWN_FLAGS,
  ];
}
