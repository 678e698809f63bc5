import { COMMAND_GROUPS, type Command, type CommandEntry, offeredEntries } from '../kit/command.ts';
import { type Flag, offeredFlags } from '../kit/flags/flag.ts';
import { GLOBAL_FLAGS } from '../kit/flags/global-flags.ts';
import { NO_BREAK } from '../kit/text/printable.ts';
import type { Block, HelpPage, Section, Term } from './page.ts';
import { TOPICS } from './topics.ts';

const OWN_FLAGS = [
  { term: '-h, --help', description: 'Print help' },
  { term: '--version', description: 'Print the version' },
];

/** The first lines of a new user: from nothing to an answer. */
const FIRST_STEPS = [
  'svc serve --embedded',
  'svc init --save && svc spaces create notes',
  "svc memories add notes . --wait && svc retrieve 'to do'",
];

/** What `svc --help` says. */
export function programPage(entries: readonly CommandEntry[]): HelpPage {
  return {
    name: 'svc',
    summary: 'A memory service: store memories, find them again by meaning',
    usage: ['svc <command> [flags]'],
    sections: [
      { title: 'First steps', blocks: [{ kind: 'code', lines: FIRST_STEPS }] },
      ...COMMAND_GROUPS.flatMap((group) => groupSections(entries, group)),
      {
        title: 'Flags of every command',
        blocks: [{ kind: 'terms', rows: flagTerms([...Object.values(GLOBAL_FLAGS), ...OWN_FLAGS]) }],
      },
      {
        title: 'Topics',
        blocks: [{ kind: 'terms', rows: TOPICS.map(({ name, summary }) => ({ term: `help ${name}`, text: summary })) }],
      },
      { title: '', blocks: [{ kind: 'text', text: 'More about a command: `svc <command> --help`' }] },
    ],
  };
}

function groupSections(entries: readonly CommandEntry[], group: string): Section[] {
  const rows = offeredEntries(entries)
    .filter((entry) => entry.group === group)
    .map(({ name, summary }) => ({ term: name, text: summary }));
  return rows.length === 0 ? [] : [{ title: group, blocks: [{ kind: 'terms', rows }] }];
}

/** What help says about a noun: its commands. */
export function groupPage(
  { name, summary }: Pick<CommandEntry, 'name' | 'summary'>,
  commands: readonly Command[],
): HelpPage {
  const rows = commands.map((record) => ({
    term: [record.name, ...Object.values(record.args).map(({ term }) => term)].join(' '),
    text: record.summary,
  }));
  return {
    name: `svc ${name}`,
    summary,
    usage: [`svc ${name} <command> [flags]`],
    sections: [
      { title: 'Commands', blocks: [{ kind: 'terms', rows }] },
      { title: '', blocks: [{ kind: 'text', text: `More about one of them: \`svc ${name} <command> --help\`` }] },
    ],
  };
}

/** What help says about one command. `path` is how it is called, without `svc`: `spaces create`. */
export function commandPage(path: string, record: Command): HelpPage {
  return {
    name: `svc ${path}`,
    summary: record.summary,
    usage: usageOf(path, record),
    sections: [
      ...described(record),
      ...argumentSections(record),
      ...flagSections(record),
      ...jsonSections(record),
      { title: 'Examples', blocks: [{ kind: 'code', lines: record.examples.map((example) => `svc ${example}`) }] },
      { title: '', blocks: [{ kind: 'text', text: 'Flags of every command: `svc --help`' }] },
    ],
  };
}

function described({ notes }: Command): Section[] {
  if (notes === undefined) return [];
  const blocks = notes.split('\n\n').map((text): Block => ({ kind: 'text', text }));
  return [{ title: '', blocks }];
}

function argumentSections({ args }: Command): Section[] {
  const rows = Object.values(args).map(({ term, description, choices }) => ({
    term,
    text: choices === undefined ? description : `${description}: ${choices.join(', ')}`,
  }));
  return rows.length === 0 ? [] : [{ title: 'Arguments', blocks: [{ kind: 'terms', rows }] }];
}

function jsonSections({ jsonFields }: Command): Section[] {
  if (jsonFields === undefined) return [];
  return [{ title: 'JSON fields', blocks: [{ kind: 'text', text: jsonFields.join(', ') }] }];
}

/** One section for each group of flags, in the order in which the groups first appear. */
function flagSections({ flags }: Command): Section[] {
  const all = Object.values(offeredFlags(flags));
  const titles = [...new Set(all.map(({ group }) => group))];
  return titles.map((title) => ({
    title: title ?? 'Flags',
    blocks: [{ kind: 'terms', rows: flagTerms(all.filter(({ group }) => group === title)) }],
  }));
}

const LONG_ONLY_INDENT = '    ';

/** Flags as terms. Where one has a short form the long forms stand below each other. */
function flagTerms(flags: readonly Pick<Flag<unknown>, 'term' | 'description' | 'choices' | 'variable'>[]): Term[] {
  const hasShort = flags.some(({ term }) => isShort(term));
  return flags.map((flag) => ({
    term: hasShort && !isShort(flag.term) ? `${LONG_ONLY_INDENT}${flag.term}` : flag.term,
    text: flagText(flag),
  }));
}

function isShort(term: string): boolean {
  return /^-[^-]/.test(term);
}

function flagText({
  description,
  choices,
  variable,
}: Pick<Flag<unknown>, 'description' | 'choices' | 'variable'>): string {
  const listed = choices === undefined ? '' : `: ${choices.join(', ')}`;
  return `${description}${listed}${variable === undefined ? '' : ` (env${NO_BREAK}${variable})`}`;
}

/** How a command is called, and how by each other name that it has. `path` is without `svc`: `spaces create`. */
export function usageOf(path: string, { name, aliases = [], args, flags }: Command): string[] {
  const rest = [...Object.values(args).map(({ term }) => term), ...(Object.keys(flags).length > 0 ? ['[flags]'] : [])];
  return [name, ...aliases].map((alias) => ['svc', path.slice(0, -name.length) + alias, ...rest].join(' '));
}
