import type { Command } from '../kit/command.ts';
import { offeredFlags } from '../kit/flags/flag.ts';
import { flagTerms } from './flag-terms.ts';
import type { Block, Page, Section } from './page.ts';
import { usageOf } from './usage.ts';

/** What help says about one command. `path` is how it is called, without `svc`: `spaces create`. */
export function commandPage(path: string, record: Command): Page {
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
