import type { HelpPage, Section } from '../help/page.ts';
import { commandPage, programPage } from '../help/pages.ts';
import { TOPICS } from '../help/topics.ts';
import { type Command, type CommandEntry, offeredEntries } from '../kit/command.ts';
import type { ManPage, ManSection } from './man-page.ts';

const COMMON = ['svc(1)', ...TOPICS.map(({ name }) => `svc-${name}(7)`)];

/** Every man page, by its file name. */
export async function manPages(entries: readonly CommandEntry[]): Promise<ReadonlyMap<string, ManPage>> {
  const commands = await Promise.all(offeredEntries(entries).map(entryPage));
  const topics = await Promise.all(TOPICS.map(async ({ name, load }) => topicPage(name, await load())));
  const pages = [mainPage(entries), ...commands, ...topics];
  return new Map(pages.map((page) => [`${page.name}.${page.section}`, page]));
}

function mainPage(entries: readonly CommandEntry[]): ManPage {
  const page = programPage(entries);
  return {
    name: 'svc',
    section: 1,
    summary: page.summary,
    usage: page.usage,
    sections: describedSections(page),
    seeAlso: [...offeredEntries(entries).map(({ name }) => `svc-${name}(1)`), ...COMMON.slice(1)],
  };
}

async function entryPage(entry: CommandEntry): Promise<ManPage> {
  const module = await entry.load();
  const name = `svc-${entry.name}`;
  if (module.kind === 'command') {
    const page = commandPage(entry.name, module.command);
    return {
      name,
      section: 1,
      summary: page.summary,
      usage: page.usage,
      sections: describedSections(page),
      seeAlso: COMMON,
    };
  }
  const pages = module.commands.map((record) => ({
    record,
    page: commandPage(`${entry.name} ${record.name}`, record),
  }));
  return {
    name,
    section: 1,
    summary: entry.summary,
    usage: pages.flatMap(({ page }) => page.usage),
    sections: [
      { title: 'Description', blocks: [{ kind: 'text', text: `${entry.summary}.` }] },
      { title: 'Commands', blocks: [], parts: pages.map(commandPart) },
    ],
    seeAlso: COMMON,
  };
}

/** One command of a noun as a subsection: its own headings would stand on one level with the name. */
function commandPart({ record, page }: { record: Command; page: HelpPage }): Section {
  const blocks = withoutHint(page).flatMap(({ title, blocks: own }) =>
    ['', 'Arguments', 'Flags'].includes(title) ? own : [{ kind: 'text' as const, text: `${title}:` }, ...own],
  );
  return { title: record.name, blocks: [{ kind: 'text', text: `${page.summary}.` }, ...blocks] };
}

/** What stands without a heading in help stands under DESCRIPTION in a manual. */
function describedSections(page: HelpPage): ManSection[] {
  const sections = withoutHint(page);
  const untitled = sections.filter(({ title }) => title === '').flatMap(({ blocks }) => blocks);
  const summary = page.usage.length === 0 ? [] : [{ kind: 'text' as const, text: `${page.summary}.` }];
  const description = { title: 'Description', blocks: [...summary, ...untitled] };
  return [description, ...sections.filter(({ title }) => title !== '')].filter(({ blocks }) => blocks.length > 0);
}

/** The last line of help leads to more help; a manual has SEE ALSO for that. */
function withoutHint({ sections, usage }: HelpPage): readonly Section[] {
  return usage.length === 0 ? sections : sections.slice(0, -1);
}

function topicPage(topic: string, page: HelpPage): ManPage {
  const name = `svc-${topic}`;
  return {
    name,
    section: 7,
    summary: page.summary,
    usage: [],
    sections: describedSections(page),
    seeAlso: COMMON.filter((other) => other !== `${name}(7)`),
  };
}
