import { COMMAND_GROUPS, type Entry, offeredEntries } from '../kit/command.ts';
import { GLOBAL_FLAGS } from '../kit/flags/global-flags.ts';
import { flagTerms } from './flag-terms.ts';
import type { Page, Section } from './page.ts';
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
export function programPage(entries: readonly Entry[]): Page {
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

function groupSections(entries: readonly Entry[], group: string): Section[] {
  const rows = offeredEntries(entries)
    .filter((entry) => entry.group === group)
    .map(({ name, summary }) => ({ term: name, text: summary }));
  return rows.length === 0 ? [] : [{ title: group, blocks: [{ kind: 'terms', rows }] }];
}
