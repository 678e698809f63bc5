import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { displayWidth } from '../../../../../src/cli/kit/text/printable.ts';
import type { CliOptions } from '../../../../support/client/host.fixture.ts';
import { registeredCommands, SAMPLE_WORDS } from '../../sample-lines.fixture.ts';
import { SAMPLE_HANDLERS } from '../../sample-records.fixture.ts';
import { useSampleService } from '../../sample-service.fixture.ts';
import { id } from '../../samples/values.fixture.ts';

const sample = useSampleService(SAMPLE_HANDLERS);

/** Lists and records, in every form that people see. */
const SHOWN = [
  'spaces list',
  'spaces get',
  'memories list',
  'memories get',
  'memories get --history',
  'memories chunks',
  `memories chunks --space ${id('b1')}`,
  'retrieve --explain',
  'ask',
  'embedders list',
  'embedders get',
  'llms list',
  'llms get',
  'rerankers list',
  'rerankers get',
  'users list',
  'users get',
  'apikeys list',
  'apikeys get',
  'ping',
  'system info',
  'system status',
  'system doctor',
  'eval',
  'admin drain',
  'admin purge-jobs',
  'admin reload-license',
  'config',
  'profile create',
  'profile list',
  'profile list --show-key',
  'profile show',
  'profile update',
];

/** Commands that show the same record as another one. */
const SAME: Readonly<Record<string, string>> = {
  'spaces create': 'spaces get',
  'spaces update': 'spaces get',
  'spaces import': 'spaces get',
  'spaces copy': 'spaces get',
  'memories update': 'memories get',
  'memories reprocess': 'memories get',
  'embedders create': 'embedders get',
  'embedders update': 'embedders get',
  'llms create': 'llms get',
  'llms update': 'llms get',
  'rerankers create': 'rerankers get',
  'rerankers update': 'rerankers get',
  'users create': 'users get',
  'users update': 'users get',
  'apikeys update': 'apikeys get',
};

const WITHOUT: Readonly<Record<string, string>> = {
  serve: 'is the server, with a log',
  init: 'prints a key',
  'apikeys create': 'prints a key',
  'spaces delete': 'says on stderr what is gone',
  'spaces export': 'writes a file',
  'memories add': 'tells of each file as it goes',
  sync: 'tells of each change as it goes',
  'memories content': 'writes content',
  'memories text': 'writes text',
  'memories delete': 'says on stderr what is gone',
  'embedders delete': 'says on stderr what is gone',
  'llms delete': 'says on stderr what is gone',
  'rerankers delete': 'says on stderr what is gone',
  'users delete': 'says on stderr what is gone',
  'apikeys delete': 'says on stderr what is gone',
  'profile delete': 'says on stderr what is gone',
  'profile use': 'says on stderr which one it is',
  ocr: 'writes text',
  'system health': 'prints a word',
  health: 'prints a word',
  completion: 'prints a script',
  help: 'prints a page',
};

/** Nothing that a machine has of its own. */
const CONFIG_ENV = {
  XDG_CONFIG_HOME: '/home/ada/.config',
  SVC_SERVER: '',
  SVC_API_KEY: 'svc_4fghabcdefghijklmnopqrstuvwxyz2345',
  SVC_TLS: 'verify',
};

function wordsOf(line: string): string[] {
  const [path = '', own = []] =
    Object.entries(SAMPLE_WORDS).find(([known]) => line === known || line.startsWith(`${known} --`)) ?? [];
  const more = line.slice(path.length).split(' ').slice(1);
  return [...path.split(' '), ...(more.includes('--space') ? [] : own), ...more];
}

async function run(line: string, flags: readonly string[] = [], options: CliOptions = {}) {
  if (line.startsWith('profile')) await sample.resetConfig();
  return sample.svc([...wordsOf(line), ...flags], { ...options, ...(line === 'config' ? { env: CONFIG_ENV } : {}) });
}

/** One of them in color, which has to be the same text. */
const FORMS: readonly (readonly [name: string, flags: readonly string[], options: CliOptions])[] = [
  ['60 columns', ['--no-color'], { terminal: true, columns: 60 }],
  ['80 columns', [], { terminal: true, columns: 80 }],
  ['120 columns', ['--no-color'], { terminal: true, columns: 120 }],
  ['200 columns', ['--no-color'], { terminal: true, columns: 200 }],
  ['80 columns, --wide', ['--no-color', '--wide'], { terminal: true, columns: 80 }],
  ['59 columns', ['--no-color'], { terminal: true, columns: 59 }],
  ['pipe', ['-o', 'table'], {}],
];

/** What ends a line of progress that is gone. */
const ERASED = '\r\u001b[K';

/** All forms of one command below each other; a form that looks like the one before it is not shown twice. */
async function formsOf(line: string): Promise<string> {
  const parts: string[] = [];
  let before = '';
  for (const [name, flags, options] of FORMS) {
    const { code, stderr, ...written } = await run(line, flags, { ...options });
    expect([0, 1], stderr).toContain(code);
    const isColored = options.terminal === true && flags.length === 0;
    const stdout = isColored ? stripVTControlCharacters(written.stdout) : written.stdout;
    requireClean(stdout, flags.includes('--wide') ? undefined : options.columns);
    const remarks = stderr.split(ERASED).at(-1) ?? '';
    const text = `${stdout}${remarks === '' ? '' : `[stderr] ${remarks}`}`;
    parts.push(text === before ? `── ${name}: the same` : `── ${name}\n${text}`);
    before = text;
  }
  return `\n${parts.join('\n')}\n`;
}

/** No control characters, no spaces at the ends, and of a table nothing beyond the edge. */
function requireClean(text: string, columns: number | undefined): void {
  expect(text).not.toMatch(/[^\P{Cc}\n]/u);
  expect(text).not.toMatch(/ \n/);
  if (columns === undefined || columns < 60) return;
  for (const line of text.split('\n')) expect(displayWidth(line), line).toBeLessThanOrEqual(columns);
}

test('every command declares its record form, that of another command, or why it has none', async () => {
  const paths = (await registeredCommands()).map(({ path }) => path);
  const shown = new Set([...SHOWN.map((line) => line.replace(/ --.*/, '')), ...Object.keys(SAME)]);
  const without = Object.keys(WITHOUT);
  expect([...shown, ...without].sort()).toEqual([...paths].sort());
  expect(Object.keys(SAMPLE_WORDS).sort()).toEqual([...paths].sort());
});

describe('lists and records', () => {
  test.each(SHOWN)('svc %s', async (line) => {
    expect(await formsOf(line)).toMatchSnapshot();
  });

  test.each(Object.entries(SAME))('svc %s has the form of svc %s', async (line, other) => {
    const options = { terminal: true, columns: 80 };
    expect((await run(line, [], options)).stdout).toBe((await run(other, [], options)).stdout);
  });
});
