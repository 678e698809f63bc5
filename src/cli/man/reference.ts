import type { Block, HelpPage } from '../help/page.ts';
import { commandPage, programPage } from '../help/pages.ts';
import { TOPICS } from '../help/topics.ts';
import { type CommandEntry, offeredEntries } from '../kit/command.ts';
import { NO_BREAK } from '../kit/text/printable.ts';

const INTRODUCTION = `# Command line

Every command with its arguments and flags, as \`svc <command> --help\` shows them. This page is generated from the
records in \`src/cli\` by \`npm run gen\`.
`;

/** All commands in Markdown. */
export async function reference(entries: readonly CommandEntry[]): Promise<string> {
  const pages: HelpPage[] = [];
  for (const entry of offeredEntries(entries)) {
    const module = await entry.load();
    if (module.kind === 'command') pages.push(commandPage(entry.name, module.command));
    else for (const record of module.commands) pages.push(commandPage(`${entry.name} ${record.name}`, record));
  }
  const topics = await Promise.all(TOPICS.filter(({ name }) => name !== 'filters').map(({ load }) => load()));
  const program = programPage(entries);
  const common = {
    ...program,
    name: 'svc',
    sections: program.sections.filter(({ title }) => title.startsWith('Flags')),
  };
  return [INTRODUCTION, ...[common, ...pages, ...topics].map(pageMarkdown)].join('\n');
}

function pageMarkdown({ name, summary, usage, sections }: HelpPage): string {
  const hinted = usage.length > 0 && sections.at(-1)?.title === '' ? sections.slice(0, -1) : sections;
  const parts = [
    `## ${name}`,
    `${summary}.`,
    ...(usage.length === 0 ? [] : [fenced(usage)]),
    ...hinted.flatMap(({ title, blocks }) => [...(title === '' ? [] : [`**${title}**`]), ...blocks.map(blockMarkdown)]),
  ];
  return `${parts.join('\n\n')}\n`;
}

function blockMarkdown(block: Block): string {
  switch (block.kind) {
    case 'text':
      return block.text;
    case 'code':
      return fenced(block.lines);
    case 'terms':
      return [
        '| | |',
        '|---|---|',
        ...block.rows.map(({ term, text }) => `| \`${cell(term.trim())}\` | ${cell(plainCode(text))} |`),
      ].join('\n');
  }
}

function fenced(lines: readonly string[]): string {
  return ['```sh', ...lines, '```'].join('\n');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}

/** Placeholders would be taken for tags. */
function plainCode(text: string): string {
  return text
    .replaceAll(NO_BREAK, ' ')
    .split('`')
    .map((part, at) => (at % 2 === 1 ? `\`${part}\`` : part.replace(/<([^>]*)>/g, '`<$1>`')))
    .join('');
}
