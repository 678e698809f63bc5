import type { Command } from '../../../src/cli/kit/command.ts';
import { ENTRIES } from '../../../src/cli/registry.ts';
import { id } from './samples/values.fixture.ts';

/** A command of the registry by the words that call it: `spaces list`. */
interface Registered {
  path: string;
  record: Command;
}

export async function registeredCommands(): Promise<Registered[]> {
  const modules = await Promise.all(ENTRIES.map(async ({ name, load }) => ({ name, module: await load() })));
  return modules.flatMap(({ name, module }) =>
    module.kind === 'command'
      ? [{ path: name, record: module.command }]
      : module.commands.map((record) => ({ path: `${name} ${record.name}`, record })),
  );
}

/**
 * For every command, words behind its name with which it does its work against the sample records, in a folder that holds
 * `note.txt`, `scan.pdf`, `questions.ndjson` and `house.ndjson`. Undefined: it never ends by itself.
 */
export const SAMPLE_WORDS: Readonly<Record<string, readonly string[] | undefined>> = {
  serve: undefined,
  init: [],
  'spaces create': ['house'],
  'spaces list': [],
  'spaces get': [id('b1')],
  'spaces update': [id('b1'), '--name', 'home'],
  'spaces delete': [id('b1'), '-f'],
  'spaces export': [id('b1'), 'out.ndjson', '-f'],
  'spaces import': ['house.ndjson'],
  'spaces copy': [id('b2'), 'attic'],
  'memories add': [id('b1'), 'note.txt'],
  sync: [id('b1'), '.'],
  'memories list': [id('b1')],
  'memories get': [id('f1')],
  'memories content': [id('f1')],
  'memories text': [id('f1')],
  'memories chunks': [id('f1')],
  'memories update': [id('f1'), '--expires', '30d'],
  'memories reprocess': [id('f1')],
  'memories delete': [id('f1'), '-f'],
  retrieve: ['boiler', '--space', id('b1')],
  ask: ['boiler', '--space', id('b1'), '--llm', id('d1')],
  ...targetWords('embedders', 'c1', ['--dimensions', '384']),
  ...targetWords('llms', 'd1'),
  ...targetWords('rerankers', 'e1'),
  ocr: ['scan.pdf'],
  'users create': ['--email', 'ada@example.org', '--display-name', 'Ada'],
  'users list': [],
  'users get': [id('02')],
  'users update': [id('02'), '--role', 'ADMIN'],
  'users delete': [id('02'), '-f'],
  'apikeys create': [],
  'apikeys list': [],
  'apikeys get': [id('a1')],
  'apikeys update': [id('a1'), '--status', 'INACTIVE'],
  'apikeys delete': [id('a1'), '-f'],
  ping: [id('c1')],
  'system info': [],
  'system status': [],
  'system health': [],
  'system doctor': [],
  health: [],
  eval: [id('b1'), 'questions.ndjson'],
  'admin drain': ['-f'],
  'admin purge-jobs': ['--older-than', '7d', '--dry-run'],
  'admin reload-license': [],
  config: [],
  'profile create': ['lab', '--server', '192.0.2.7:9090', '--tls', 'pin'],
  'profile list': [],
  'profile show': ['work'],
  'profile use': ['work'],
  'profile update': ['work', '--tls', 'verify'],
  'profile delete': ['work', '-f'],
  completion: ['bash'],
  help: [],
};

function targetWords(noun: string, digits: string, more: readonly string[] = []) {
  const words = ['--provider', 'TEI', '--name', 'Small', '--url', 'http://models.lan:8080', '--model', 'bge', ...more];
  const provider = noun === 'llms' ? ['--provider', 'VLLM', ...words.slice(2)] : words;
  return {
    [`${noun} create`]: provider,
    [`${noun} list`]: [],
    [`${noun} get`]: [id(digits)],
    [`${noun} update`]: [id(digits), '--name', 'Small'],
    [`${noun} delete`]: [id(digits), '-f'],
  };
}

const exported = [
  { space: { spaceId: id('b1'), name: 'house', ownerId: id('01') }, embedders: [] },
  { end: { memories: 0, chunks: 0 } },
];

/** The files of the folder. */
export const SAMPLE_FILES: Readonly<Record<string, string>> = {
  'note.txt': 'The boiler was serviced.\n',
  'scan.pdf': '%PDF-scan',
  'questions.ndjson': [
    { question: 'When was the boiler serviced?', memoryIds: [id('f1'), id('f9')] },
    { question: 'What did the heating engineer say about the cost of the next winter?', memoryIds: [id('f8')] },
    { question: '東京の図面と写真、二〇二六年の改築のために集めたもの\n\u001b[31mred', memoryIds: [id('f2')] },
  ]
    .map((row) => `${JSON.stringify(row)}\n`)
    .join(''),
  'house.ndjson': exported.map((row) => `${JSON.stringify(row)}\n`).join(''),
};
