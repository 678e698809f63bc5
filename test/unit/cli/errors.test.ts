import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Command } from '../../../src/cli/kit/command.ts';
import { flagNames, takesValue } from '../../../src/cli/kit/flags/flag.ts';
import {
  ERROR_CODES,
  type ErrorCode,
  type Resource,
  type ResourceKind,
  ServiceError,
} from '../../../src/shared/errors.ts';
import { refusal } from './grpc-failure.fixture.ts';
import type { Handlers } from './grpc-server.fixture.ts';
import type { CliOptions, CliResult } from './host.fixture.ts';
import { registeredCommands, SAMPLE_WORDS } from './sample-lines.fixture.ts';
import { id, SAMPLE_HANDLERS } from './sample-records.fixture.ts';
import { useSampleService } from './sample-service.fixture.ts';

interface Answer {
  message: string;
  details?: string;
  retryAfter?: number;
  resource?: Resource;
}

/** What each code looks like when the server sends it. */
const ANSWERS: Readonly<Partial<Record<ErrorCode, Answer>>> = {
  INVALID_ARGUMENT: {
    message: 'Request has 2 invalid fields',
    details: 'labels["team"]: must have at most 255 characters; spaceEmbedders[0].embedderId: is not a UUID',
  },
  UNAUTHENTICATED: {
    message: 'A usable API key is required',
    details: 'send it in the header x-api-key, or as Authorization: Bearer KEY',
  },
  PERMISSION_DENIED: { message: 'The key lacks the permission CREATE_SPACE_ANY' },
  ALREADY_EXISTS: {
    message: 'A space with this name exists already for this owner',
    resource: { kind: 'Space' },
  },
  FAILED_PRECONDITION: { message: 'The user still owns resources', details: '2 spaces, 1 embedder' },
  RESOURCE_EXHAUSTED: {
    message: 'Too many requests',
    details: 'limit 1000 per 86400 s; retry after 7200 s',
    retryAfter: 7200,
  },
  UNIMPLEMENTED: { message: 'This build does not have the OcrService' },
  INTERNAL: { message: 'The server failed to answer', details: '01980000-0000-7000-8000-00000000abcd' },
  UNAVAILABLE: { message: 'The server is draining and accepts no more writes' },
  DEADLINE_EXCEEDED: { message: 'The deadline has passed' },
};

const KINDS = ['Space', 'Embedder', 'LLM', 'Reranker', 'User', 'Memory', 'API key'] as const;

/** What the server says when the record that a call is about is not there. */
function notFoundBy(rpc: string): Answer {
  if (/^(ListMemories|ListChunks|RetrieveMemory|BatchCreateMemory)$/.test(rpc)) {
    return aboutMissing('Space', id('b1'));
  }
  return aboutMissing(
    KINDS.find((kind) => rpc.toLowerCase().includes(kind.toLowerCase().replace(' ', ''))) ?? 'Target',
    id('00'),
  );
}

function aboutMissing(kind: ResourceKind, missing: string): Answer {
  return { message: `${kind} not found: ${missing}`, resource: { kind, id: missing } };
}

/** The commands that can be told so, when not all can, or a few that stand for all where it is the same everywhere. */
const WHERE: Readonly<Partial<Record<ErrorCode, RegExp>>> = {
  ALREADY_EXISTS: /create|copy|update/,
  FAILED_PRECONDITION: /delete|update|reprocess/,
  INTERNAL: /list|create|retrieve/,
  DEADLINE_EXCEEDED: /list|create|retrieve/,
};

let failing: ErrorCode | undefined;
let isEmpty = false;
beforeEach(() => {
  failing = undefined;
  isEmpty = false;
});

function failIfAsked(rpc: string): Error | undefined {
  if (failing === undefined) return undefined;
  const {
    message,
    details = '',
    retryAfter,
    resource,
  }: Answer = failing === 'NOT_FOUND' ? notFoundBy(rpc) : (ANSWERS[failing] ?? { message: '' });
  return refusal(new ServiceError(failing, message, { details, resource, retryAfterSeconds: retryAfter }));
}

const { unary = {}, stream = {} } = SAMPLE_HANDLERS;
const HANDLERS: Handlers = {
  unary: Object.fromEntries(
    Object.entries(unary).map(([rpc, answer]) => [
      rpc,
      (call) => {
        const error = failIfAsked(rpc);
        if (error !== undefined) throw error;
        return isEmpty && /^(List|Diagnose|OcrDocument)/.test(rpc) ? {} : answer(call);
      },
    ]),
  ),
  stream: Object.fromEntries(
    Object.entries(stream).map(([rpc, answer]) => [
      rpc,
      (call, send) => {
        const error = failIfAsked(rpc);
        if (error !== undefined) call.emit('error', error);
        else answer(call, send);
      },
    ]),
  ),
};

const sample = useSampleService(HANDLERS);
const commands = await registeredCommands();
/** Those that call the server. */
const CALLING = commands.filter(({ path }) => !/^(serve|config|profile .*|completion|help)$/.test(path));

interface Situation {
  path: string;
  words: readonly string[];
  options?: CliOptions;
}

/** The words of a command that works. */
const working = (path: string): string[] => [...path.split(' '), ...(SAMPLE_WORDS[path] ?? [])];

/** Runs the lines and puts those together that are told the same; `COMMAND` stands for the command. */
async function told(situations: readonly Situation[], exit: number): Promise<string> {
  const groups = new Map<string, string[]>();
  for (const { path, words, options } of situations) {
    const result = await sample.svc(words, options);
    requireForm(result, { line: words.join(' '), exit });
    const text = result.stderr
      .replace(new RegExp(`(Usage: |Help: |^svc: )svc ${path}(?= |$)`, 'gm'), '$1svc COMMAND')
      .replaceAll(`:${sample.server.port}`, ':9090');
    groups.set(text, [...(groups.get(text) ?? []), path]);
  }
  const parts = [...groups].map(([text, paths]) => `${text}    (${[...new Set(paths)].join(', ')})\n`);
  return `\n${parts.join('\n')}`;
}

/** What is wrong, why, what to do: two lines at least, three at most, nothing on stdout. What was under way may tell its end before. */
function requireForm({ code, stdout, stderr }: CliResult, { line, exit }: { line: string; exit: number }): void {
  expect({ code, stdout }, `${line}\n${stderr}`).toEqual({ code: exit, stdout: '' });
  expect(stderr.slice(stderr.search(/^svc: /m)), line).toMatch(/^svc: [^\n]*[^\n.](\n {2}\S[^\n]*[^\n.]){1,2}\n$/);
  expect(stderr, line).not.toMatch(/undefined|\[object|[^\P{Cc}\n]/u);
}

const isNeeded = ({ args }: Command): boolean => Object.values(args).some(({ term }) => term.startsWith('<'));
const flagsOf = ({ flags }: Command) => Object.values(flags);

describe('usage', () => {
  test('an argument is missing', async () => {
    const situations = commands
      .filter(({ record }) => isNeeded(record))
      .map(({ path }) => ({ path, words: path.split(' ') }));
    expect(await told(situations, 64)).toMatchSnapshot();
  });

  test('an argument too many', async () => {
    const situations = commands
      .filter(({ record }) => !Object.values(record.args).some(({ term }) => term.includes('...')))
      .map(({ path, record }) => ({
        path,
        words: [...path.split(' '), ...Object.keys(record.args).map(() => 'x'), 'more'],
      }));
    expect(await told(situations, 64)).toMatchSnapshot();
  });

  test('a flag with a letter too few, and without its value', async () => {
    const mistyped = commands.map(({ path, record }) => {
      const [flag = '--output'] = flagsOf(record).flatMap(({ term }) =>
        flagNames(term).filter((name) => name.length > 6),
      );
      return { path, words: [...path.split(' '), `${flag.slice(0, 4)}${flag.slice(5)}`] };
    });
    expect(await told(mistyped, 64)).toMatchSnapshot('mistyped');
    const valueless = commands.flatMap(({ path, record }) => {
      const name = flagsOf(record)
        .filter(({ term }) => /[>]$/.test(term))
        .flatMap(({ term }) => flagNames(term))
        .at(-1);
      return name === undefined ? [] : [{ path, words: [...path.split(' '), name] }];
    });
    expect(await told(valueless, 64)).toMatchSnapshot('without value');
  });

  test('a value that a flag cannot take', async () => {
    const situations = commands.flatMap(({ path, record }) =>
      flagsOf(record)
        .filter((flag) => takesValue(flag.term) && refuses(() => flag.read(['so-so'])))
        .map(({ term }) => ({ path, words: [...working(path), flagNames(term).at(-1) ?? '', 'so-so'] })),
    );
    expect(situations.length).toBeGreaterThan(80);
    expect(await told(situations, 64)).toMatchSnapshot();
  });

  test('flags that are missing, or that contradict each other', async () => {
    const lines: Readonly<Record<string, readonly string[]>> = {
      'embedders create': ['', '--provider TEI --name a --model b', '--provider BUILTIN'],
      'llms create': ['', '--provider VLLM --name a --model b'],
      'rerankers create': ['--provider TEI --name a --model b'],
      'embedders update': [
        `${id('c1')} --secret a --secret-file b`,
        `${id('c1')} --secret-header X-Key`,
        `${id('c1')} --gcp-scope a`,
        `${id('c1')} --secret -`,
      ],
      'llms update': [
        `${id('d1')} --client-config {`,
        `${id('d1')} --client-config []`,
        `${id('d1')} --capability chat=so`,
      ],
      'users create': ['', '--email ada@example.org'],
      'users get': [`${id('02')} --email ada@example.org`],
      'spaces list': ['--limit 3 --all'],
      'spaces create': ['x --embedder a=b', 'x --chunking none --chunk-size 4', 'x --chunking sentence --keep end'],
      'spaces update': [`${id('b1')} --merge-labels a=1 --replace-labels b=2`],
      'memories add': ['house - note.txt', 'house note.txt --prune-old --keep-old'],
      'memories chunks': ['', `${id('f1')} --space house`],
      'memories update': [
        `${id('f1')} --merge-metadata {} --replace-metadata {}`,
        `${id('f1')} --merge-metadata 3`,
        `${id('f1')} --merge-metadata {room}`,
      ],
      'memories delete': ['', `${id('f1')} --space house`, '--space house', '--filter true'],
      retrieve: [
        'boiler --content --no-memory',
        'boiler --max-results 3 --candidates 4',
        'boiler -i',
        'boiler --embedder-weight a',
      ],
      ping: ['-c 3', '--payload a --size 3'],
      ocr: ['scan.pdf --raw --format markdown'],
      'admin purge-jobs': [''],
      'profile update': ['work'],
      'spaces copy': [`${id('b1')} attic`],
      completion: ['tcsh'],
      help: ['spcaes'],
    };
    const situations = Object.entries(lines).flatMap(([path, ends]) =>
      ends.map((end) => ({ path, words: `${path} ${end}`.trim().split(' ') })),
    );
    expect(await told(situations, 64)).toMatchSnapshot();
  });

  test('deleting where nobody can be asked', async () => {
    const situations = commands
      .filter(({ record }) => record.name === 'delete')
      .map(({ path }) => ({ path, words: working(path).filter((word) => word !== '-f') }));
    expect(situations.length).toBe(8);
    expect(await told(situations, 64)).toMatchSnapshot();
  });

  test('general flags and variables', async () => {
    const path = 'spaces list';
    const lines = [
      '--output yaml',
      '--tls maybe',
      '--server ftp://x',
      '--api-key a --api-key-file b',
      '--tls verify',
      '--api-key ü',
    ];
    const situations: Situation[] = lines.map((end) => ({ path, words: `${path} ${end}`.split(' ') }));
    situations.push({ path, words: path.split(' '), options: { env: { SVC_OUTPUT: 'yaml' } } });
    situations.push({ path, words: path.split(' '), options: { env: { SVC_TLS: 'maybe' } } });
    situations.push({ path, words: [...path.split(' '), '--api-key-file', '-'] });
    expect(await told(situations, 64)).toMatchSnapshot();
  });
});

function refuses(read: () => unknown): boolean {
  try {
    read();
    return false;
  } catch {
    return true;
  }
}

/** The ids of the sample records. */
const SAMPLE_ID = /^0198[0-9a-f]{4}-0000-7000-8000-/;

describe('what the server answers', () => {
  /** An upload tells of each file, and an import asks first whether what it brings is there. */
  const OTHERWISE = ['memories add', 'spaces import'];
  const everywhere = (also: readonly string[] = []) =>
    CALLING.filter(({ path }) => ![...OTHERWISE, ...also].includes(path)).map(({ path }) => ({
      path,
      words: working(path),
    }));

  test.each(Object.keys(ANSWERS) as ErrorCode[])('%s', async (code) => {
    failing = code;
    // Those that make many calls wait until a server that goes away is back.
    const waiting = code === 'UNAVAILABLE' ? ['eval', 'spaces export', 'spaces copy'] : [];
    const where = everywhere(waiting).filter(({ path }) => WHERE[code]?.test(path) ?? true);
    expect(await told(where, ERROR_CODES[code].exit)).toMatchSnapshot();
  });

  test('NOT_FOUND', async () => {
    failing = 'NOT_FOUND';
    const named = everywhere().filter(({ path }) => (SAMPLE_WORDS[path] ?? []).some((word) => SAMPLE_ID.test(word)));
    expect(named.length).toBeGreaterThan(0);
    expect(await told(named, 66)).toMatchSnapshot();
  });

  test.each(['PERMISSION_DENIED', 'RESOURCE_EXHAUSTED', 'INVALID_ARGUMENT'] as const)(
    '%s, to an upload and an import',
    async (code) => {
      failing = code;
      const lines: string[] = [];
      for (const path of OTHERWISE) {
        const result = await sample.svc(working(path));
        expect([ERROR_CODES[code].exit, 65]).toContain(result.code);
        lines.push(`svc ${path}: ${result.code}\n${result.stdout}${result.stderr}`);
      }
      expect(`\n${lines.join('\n')}`).toMatchSnapshot();
    },
  );

  test('nothing: the connection is refused', async () => {
    // Nobody listens on the port that means "none in particular".
    const refused = (server: string) =>
      everywhere().map((one) => ({ ...one, options: { env: { SVC_SERVER: server } } }));
    expect(await told(refused('http://127.0.0.1:1'), 69)).toMatchSnapshot();
    expect(await told(refused('127.0.0.1:1').slice(0, 1), 69)).toMatchSnapshot('TLS');
  });
});

describe('files', () => {
  test('that are not there', async () => {
    const lines: Readonly<Record<string, readonly string[]>> = {
      ocr: ['nowhere.pdf', 'svc'],
      eval: ['house nowhere.ndjson'],
      'memories add': ['house nowhere', 'house *.nothing'],
      'spaces import': ['nowhere.ndjson', 'svc'],
      'embedders update': [`${id('c1')} --secret-file nowhere`],
      'llms update': [`${id('d1')} --client-config @nowhere`],
      retrieve: ['boiler --context @nowhere', 'boiler --post-processor-config @nowhere'],
      'spaces list': ['--api-key-file nowhere'],
    };
    const situations = Object.entries(lines).flatMap(([path, ends]) =>
      ends.map((end) => ({ path, words: `${path} ${end}`.split(' ') })),
    );
    expect(await told(situations, 66)).toMatchSnapshot();
  });

  test('that hold something else', async () => {
    const bad = async (name: string, text: string) => writeFile(join(sample.folder, name), text);
    await bad('empty.ndjson', '');
    await bad('broken.ndjson', '{"question":"a","memoryIds":["b"]}\n');
    await bad('not.ndjson', 'not JSON\n');
    await bad('half.ndjson', `${JSON.stringify({ space: { spaceId: id('b1'), name: 'house' }, embedders: [] })}\n`);
    const lines: Readonly<Record<string, readonly string[]>> = {
      eval: ['house empty.ndjson', 'house broken.ndjson', 'house not.ndjson', 'house -'],
      'spaces import': ['empty.ndjson', 'broken.ndjson', 'not.ndjson'],
    };
    const situations = Object.entries(lines).flatMap(([path, ends]) =>
      ends.map((end) => ({ path, words: `${path} ${end}`.split(' ') })),
    );
    expect(await told(situations, 65)).toMatchSnapshot();
  });
});

test('names that nothing has', async () => {
  isEmpty = true;
  const lines = [
    'spaces get attic',
    'retrieve boiler',
    'retrieve boiler --space attic',
    'ping',
    'ping Small',
    'apikeys create --space attic',
  ];
  const situations = lines.map((line) => ({
    path: line.replace(/ (attic|boiler|Small|--).*/, ''),
    words: line.split(' '),
  }));
  expect(await told(situations, 66)).toMatchSnapshot();
});

describe('configuration', () => {
  test('profiles and the config file', async () => {
    await sample.resetConfig();
    const profile = ['use attic', 'show attic', 'delete attic -f', 'update attic --tls pin', 'create -x', 'create a/b'];
    const situations = profile
      .filter((words) => !words.includes('-x'))
      .map((words) => ({ path: `profile ${words.split(' ')[0]}`, words: ['profile', ...words.split(' ')] }));
    const config = {
      path: 'config',
      words: ['config', '--profile', 'attic'],
      options: { env: { XDG_CONFIG_HOME: sample.folder } },
    };
    expect(await told([...situations, config], 78)).toMatchSnapshot();
    expect(await told([{ path: 'profile create', words: ['profile', 'create', 'work'] }], 65)).toMatchSnapshot();
    const homeless = { env: { XDG_CONFIG_HOME: '' } };
    expect(
      await told([{ path: 'profile create', words: ['profile', 'create', 'work'], options: homeless }], 78),
    ).toMatchSnapshot();
    expect(await told([{ path: 'profile show', words: ['profile', 'show'], options: homeless }], 78)).toMatchSnapshot();
  });
});

test('an empty list is a success that says on stderr what to do next', async () => {
  isEmpty = true;
  const lists = [
    'memories chunks',
    'ocr',
    'system doctor',
    ...CALLING.flatMap(({ path, record }) => (record.name === 'list' ? [path] : [])),
  ];
  const filtered = [
    'spaces list --name x',
    `memories list ${id('b1')} --status FAILED`,
    'embedders list --label a=b',
    'llms list --provider VLLM',
  ];
  const hints: string[] = [];
  for (const words of [
    ...lists.map(working),
    ...filtered.map((line) => line.split(' ')),
    ['memories', 'chunks', '--space', id('b1')],
    ['apikeys', 'list', '--user', id('02')],
  ]) {
    const { code, stdout, stderr } = await sample.svc(words);
    expect({ code, stdout }, words.join(' ')).toEqual({ code: 0, stdout: '' });
    hints.push(`svc ${words.join(' ')}\n    ${stderr}`);
    const json = await sample.svc([...words, '-o', 'ndjson']);
    if (words[0] !== 'ocr') expect(json, words.join(' ')).toEqual({ code: 0, stdout: '', stderr: '' });
  }
  const none = await sample.svc(['profile', 'list'], { env: { XDG_CONFIG_HOME: join(sample.folder, 'none') } });
  hints.push(`svc profile list\n    ${none.stderr}`);
  expect(`\n${hints.join('')}`).toMatchSnapshot();
});
