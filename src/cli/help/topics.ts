import { readFile } from 'node:fs/promises';
import { ERROR_CODES } from '../../shared/errors.ts';
import { EXIT } from '../../shared/exit-codes.ts';
import { PACKAGE_ROOT } from '../../shared/package-root.ts';
import { GLOBAL_FLAGS } from '../kit/flags/global-flags.ts';
import type { Block, HelpPage, Section, Term } from './page.ts';

/** What `svc help` explains besides the commands. */
interface Topic {
  readonly name: string;
  /** One line without a full stop. */
  readonly summary: string;
  load(): Promise<HelpPage>;
}

export const TOPICS: readonly Topic[] = [
  {
    name: 'environment',
    summary: 'Environment variables and what wins over them',
    load: async () => environmentPage(),
  },
  {
    name: 'exit-codes',
    summary: 'Exit codes and when a command ends with them',
    load: async () => exitCodesPage(),
  },
  {
    name: 'filters',
    summary: 'The language of --filter',
    load: filtersPage,
  },
];

/** Variables that no flag stands for. */
const OTHERS: readonly Term[] = [
  { term: 'XDG_CONFIG_HOME', text: 'Folder that holds `svc/config.json` with the profiles; default `~/.config`' },
  {
    term: 'SVC_PAGER, PAGER',
    text: 'Program that shows lists, records, contents and help page by page on a terminal, such as `less`; without one, or with `cat`, they are written at once. SVC_PAGER wins over PAGER; set to nothing it switches pages off for svc alone. svc sets `LESS=FRX` for it unless LESS is set',
  },
  { term: 'TERM', text: '`dumb`: no color, no tables with borders and no redrawing' },
  {
    term: 'FORCE_COLOR, CLICOLOR_FORCE',
    text: 'Set to `1`: color in pipes and files too. `--no-color` wins over NO_COLOR, which wins over FORCE_COLOR, which wins over CLICOLOR_FORCE',
  },
  { term: 'CI', text: 'Set to anything: nothing is redrawn, progress is one line a step' },
  { term: 'ACCESSIBLE, INK_SCREEN_READER', text: 'Set to `1`: the same as SVC_PLAIN, for screen readers' },
];

function environmentPage(): HelpPage {
  const ofFlags = Object.values(GLOBAL_FLAGS).flatMap(({ term, description, ...flag }) =>
    'variable' in flag ? [{ term: flag.variable, text: `\`${term}\`: ${description}` }] : [],
  );
  return {
    name: 'svc help environment',
    summary: 'Environment variables of svc',
    usage: [],
    sections: [
      {
        title: 'In place of flags',
        blocks: [
          { kind: 'terms', rows: ofFlags },
          {
            kind: 'text',
            text: 'A flag wins over its variable, the variable over the profile, and the profile over the default.',
          },
          {
            kind: 'text',
            text: 'The API key of a profile belongs to the server of that profile. When `--server` or `SVC_SERVER` names another one it is sent there only if `--profile` names the profile, or if you say so when asked; else the call is refused with exit code 78. Commands that need no key, such as `svc health`, send none. A TLS mode `insecure` or `plaintext` of the profile does not count there either, unless `--profile` names it.',
          },
          {
            kind: 'text',
            text: 'An empty variable counts as none, but for SVC_PAGER. To see every value and where it comes from: `svc config`',
          },
        ],
      },
      { title: 'Terminal and folders', blocks: [{ kind: 'terms', rows: OTHERS }] },
      {
        title: 'Server',
        blocks: [
          {
            kind: 'text',
            text: 'Every setting of the server has a variable too. `svc serve --help` lists them with their flags, `svc serve --print-config` shows every value and where it comes from.',
          },
        ],
      },
    ],
  };
}

function exitCodesPage(): HelpPage {
  const rows = EXIT_MEANINGS.map(({ exit, when }) => {
    const codes = Object.entries(ERROR_CODES).flatMap(([code, row]) => (row.exit === exit ? [code] : []));
    return { term: String(exit), text: codes.length === 0 ? when : `${when} (${codes.join(', ')})` };
  });
  return {
    name: 'svc help exit-codes',
    summary: 'Exit codes of svc',
    usage: [],
    sections: [
      { title: 'Codes', blocks: [{ kind: 'terms', rows }] },
      {
        title: 'Error codes of the service',
        blocks: [
          {
            kind: 'terms',
            rows: Object.entries(ERROR_CODES).map(([code, { meaning, next }]) => ({
              term: code,
              text: `${meaning}. ${next}`,
            })),
          },
        ],
      },
      {
        title: 'Errors',
        blocks: [
          {
            kind: 'text',
            text: 'A failure is reported on stderr in at most three lines: what happened, why, and what to do. With `-o json` and `-o ndjson` it is one line there, `{"error":{"code":"NOT_FOUND","message":"…","details":"…"}}`.',
          },
        ],
      },
    ],
  };
}

/** When a command ends with each code, besides for the error codes of the service that stand for it. */
export const EXIT_MEANINGS: readonly { readonly exit: number; readonly when: string }[] = [
  { exit: EXIT.ok, when: 'success, also for an empty list and when the reader of a pipe went away' },
  { exit: EXIT.failed, when: 'no probe succeeded, a check of the diagnosis failed, anything without a better code' },
  { exit: EXIT.usage, when: 'wrong flags or arguments' },
  { exit: EXIT.badInput, when: 'input that the service does not accept; a file to write that exists already' },
  { exit: EXIT.noInput, when: 'no such input file' },
  { exit: EXIT.unavailable, when: 'no connection, or none that is allowed; the server is not ready' },
  { exit: EXIT.bug, when: 'a bug in svc itself' },
  { exit: EXIT.output, when: 'the output cannot be written: a full disk, a folder that does not exist' },
  { exit: EXIT.tryLater, when: 'try again later' },
  { exit: EXIT.partial, when: 'a stream ended before its last event; what was printed may be incomplete' },
  { exit: EXIT.denied, when: 'a key is missing, wrong or not allowed to do this' },
  {
    exit: EXIT.configuration,
    when: 'a wrong configuration or profile, also a key that belongs to another server; the server refuses to start',
  },
  { exit: EXIT.interrupted, when: 'ended by Ctrl-C (SIGINT)' },
  { exit: EXIT.terminated, when: 'ended by SIGTERM' },
];

/** The document is part of the package: its facts are written down once. */
const DOCUMENT = new URL('docs/filters.md', PACKAGE_ROOT);

async function filtersPage(): Promise<HelpPage> {
  return {
    name: 'svc help filters',
    summary: 'The language of filters',
    usage: [],
    sections: readMarkdown(await readFile(DOCUMENT, 'utf8')),
  };
}

/**
 * The sections of a document in the part of Markdown that the documents of this project keep to: one title, headings of
 * the second level, paragraphs, fenced code and tables. A table becomes terms: its first column names, the others explain.
 */
function readMarkdown(text: string): Section[] {
  const [introduction = '', ...parts] = text.replace(/^# .*\n/, '').split(/^## /m);
  const sections = parts.map((part) => {
    const end = part.indexOf('\n');
    return { title: plain(part.slice(0, end)), blocks: blocksOf(part.slice(end)) };
  });
  return [{ title: '', blocks: blocksOf(introduction) }, ...sections];
}

function blocksOf(text: string): Block[] {
  return text
    .split(/\n{2,}/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map(blockOf);
}

function blockOf(part: string): Block {
  if (part.startsWith('```')) return { kind: 'code', lines: part.split('\n').slice(1, -1) };
  if (part.startsWith('|')) return { kind: 'terms', rows: part.split('\n').slice(2).map(rowOf) };
  return { kind: 'text', text: plain(part.replaceAll('\n', ' ')) };
}

function rowOf(line: string): { term: string; text: string } {
  const [term = '', ...texts] = line
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => plain(cell.trim()));
  return { term, text: texts.filter((cell) => cell !== '').join('; ') };
}

/** Without emphasis, link targets and the escapes that only tables need; code marks stay. */
function plain(text: string): string {
  return text
    .replaceAll('**', '')
    .replace(/\[([^\]`]+)\]\([^)`]+\)/g, '$1')
    .replaceAll('\\|', '|');
}
