import { anyNumber, type CommandBody, type CommandEntry, offeredEntries } from '../kit/command.ts';
import { loneCommand } from '../kit/define-command.ts';
import { type CommandError, usageError } from '../kit/errors.ts';
import { closest } from '../kit/text/suggest.ts';
import { locate, requireKnown } from '../parsing/locate.ts';
import { type HelpPage, pageText } from './page.ts';
import { commandPage, groupPage, programPage } from './pages.ts';
import { TOPICS } from './topics.ts';

/** Takes the entries instead of importing them: it is one of them. */
export function help(entries: readonly CommandEntry[]): CommandBody {
  return loneCommand({
    isPaged: true,
    args: {
      about: {
        ...anyNumber('topic', 'A command, or a topic'),
        choices: TOPICS.map(({ name }) => name),
        completes: 'commands',
      },
    },
    flags: {},
    examples: ['help spaces create', 'help filters', 'help exit-codes'],
    async run({ io }, { args }) {
      await io.stdout.write(pageText(await pageAbout(args.about, entries), io));
      return undefined;
    },
  });
}

async function pageAbout(words: readonly string[], entries: readonly CommandEntry[]): Promise<HelpPage> {
  if (words.length === 0) return programPage(entries);
  const topic = TOPICS.find(({ name }) => name === words[0]);
  if (topic !== undefined) return await topic.load();
  const located = await locate(entries, words);
  const { entry, module, record, path, unknown } = located;
  if (entry === undefined && unknown !== undefined) throw unknownSubject(unknown, entries);
  await requireKnown(entries, words, located);
  if (record !== undefined) return commandPage(path, record);
  if (entry === undefined || module?.kind !== 'group') return programPage(entries);
  return groupPage(entry, module.commands);
}

function unknownSubject(word: string, entries: readonly CommandEntry[]): CommandError {
  const [found] = closest(
    word,
    [...TOPICS, ...offeredEntries(entries)].map(({ name }) => name),
  );
  return usageError(`There is no command or topic ${JSON.stringify(word)}`, {
    details: found === undefined ? '' : `Did you mean svc help ${found}?`,
    next: 'All commands and topics: svc --help',
  });
}
