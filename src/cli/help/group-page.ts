import type { Command, Entry } from '../kit/command.ts';
import type { Page } from './page.ts';

/** What help says about a noun: its commands. */
export function groupPage({ name, summary }: Pick<Entry, 'name' | 'summary'>, commands: readonly Command[]): Page {
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
