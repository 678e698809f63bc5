import { describe, expect, test } from 'vitest';
import { TOPICS } from '../../../../src/cli/help/topics.ts';
import { offeredEntries } from '../../../../src/cli/kit/command.ts';
import { flagName } from '../../../../src/cli/kit/flags/flag.ts';
import { GLOBAL_FLAGS } from '../../../../src/cli/kit/flags/global-flags.ts';
import { ENTRIES } from '../../../../src/cli/registry.ts';
import { cli } from '../../../support/client/host.fixture.ts';

/** Everything that help can be asked about: nouns, commands and topics, as the words behind `svc`. */
async function subjects(): Promise<string[][]> {
  const modules = await Promise.all(
    offeredEntries(ENTRIES).map(async ({ name, load }) => ({ name, module: await load() })),
  );
  const commands = modules.flatMap(({ name, module }) =>
    module.kind === 'command' ? [[name]] : [[name], ...module.commands.map((record) => [name, record.name])],
  );
  return [...commands, ...TOPICS.map(({ name }) => ['help', name])];
}

describe('help', () => {
  test.each([60, 80, 120])('of the program, on %i columns', async (columns) => {
    const { code, stdout, stderr } = await cli(['--help', '--no-color'], { terminal: true, columns });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatchSnapshot();
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(Math.min(columns, 100));
  });

  test('of every command and topic', async () => {
    for (const words of await subjects()) {
      const { code, stdout, stderr } = await cli(
        words.length === 2 && words[0] === 'help' ? words : [...words, '--help'],
      );
      expect({ code, stderr }, words.join(' ')).toEqual({ code: 0, stderr: '' });
      expect(stdout).toMatchSnapshot(`svc ${words.join(' ')}`);
    }
  });

  test('of every command stays within 60 columns, except examples', async () => {
    for (const words of await subjects()) {
      const about = words.length === 2 && words[0] === 'help' ? words : ['help', ...words];
      const { stdout } = await cli([...about, '--no-color'], { terminal: true, columns: 60 });
      const [text = ''] = stdout.split('\nExamples:\n');
      const isCode = (line: string): boolean =>
        /^ {2}(svc|--[a-z]|\{)|Usage:| {7}svc /.test(line) || words[1] === 'filters';
      for (const line of text.split('\n')) if (!isCode(line)) expect(line.length, line).toBeLessThanOrEqual(60);
    }
  });

  test('has bold headings on a terminal, and none in a pipe or with NO_COLOR', async () => {
    for (const args of [['--help'], ['spaces', '--help'], ['spaces', 'create', '--help'], ['help', 'exit-codes']]) {
      const shown = (await cli(args, { terminal: true, columns: 80 })).stdout;
      expect(shown).toContain(args[0] === 'help' ? '\u001b[1mCodes:\u001b[22m' : '\u001b[1mUsage:\u001b[22m');
      const plain = (await cli(args)).stdout;
      expect(plain).not.toContain('\u001b');
      const quiet = (await cli(args, { terminal: true, columns: 100, env: { NO_COLOR: '1' } })).stdout;
      expect(quiet).toBe(plain);
    }
  });

  test('help NOUN COMMAND is the help of that command', async () => {
    const asked = await cli(['help', 'spaces', 'create']);
    expect(asked).toEqual(await cli(['spaces', 'create', '--help']));
    expect(asked.code).toBe(0);
    expect((await cli(['help', 'spaces'])).stdout).toBe((await cli(['spaces', '--help'])).stdout);
    expect((await cli(['help'])).stdout).toBe((await cli(['--help'])).stdout);
  });

  test('a noun without a command, and svc alone, show help on stderr and count as a mistake', async () => {
    for (const args of [[], ['spaces']]) {
      const { code, stdout, stderr } = await cli(args);
      expect({ code, stdout }).toEqual({ code: 64, stdout: '' });
      expect(stderr).toBe((await cli([...args, '--help'])).stdout);
    }
  });

  test('every record is complete and its flags do not shadow the global ones', async () => {
    const general = [...Object.values(GLOBAL_FLAGS).map(({ term }) => flagName(term)), 'help', 'version'];
    for (const entry of ENTRIES) {
      const module = await entry.load();
      for (const record of module.kind === 'group' ? module.commands : [module.command]) {
        expect(record.summary, record.name).not.toMatch(/\.$/);
        expect(new Set(record.examples).size, record.name).toBe(3);
        const first = module.kind === 'group' ? `${entry.name} ` : entry.name;
        for (const example of record.examples) expect(example.startsWith(first), example).toBe(true);
        for (const { term } of Object.values(record.flags)) expect(general).not.toContain(flagName(term));
      }
    }
  });
});

describe('operations that this build lacks', () => {
  test('are in no help and in no completion', async () => {
    const lines = ['--help', 'help', 'retrieve --help', 'memories add --help', '__complete -- ', '__complete -- help '];
    const flags = ['__complete -- retrieve --', '__complete -- memories add --', '__complete -- retrieve --search '];
    for (const line of [...lines, ...flags]) {
      const { stdout } = await cli(line.split(' '));
      expect(stdout, line).not.toBe('');
      expect(stdout, line).not.toMatch(/\bocr\b|hybrid|page-images/);
    }
    expect((await cli(['__complete', '--', 'retrieve', '--search', ''])).stdout).toBe('vector\n');
  });

  test.each([['ocr --help'], ['help ocr'], ['ocr']])('svc %s says so', async (line) => {
    const stderr =
      'svc: This version of svc does not offer svc ocr yet\n  its server cannot do that\n  All commands: svc --help\n';
    expect(await cli(line.split(' '))).toEqual({ code: 1, stdout: '', stderr });
  });
});

describe('mistakes', () => {
  test.each([
    ['space list', ['Unknown command "space"', 'Did you mean svc spaces list?', 'All commands: svc --help']],
    ['memory add', ['Unknown command "memory"', 'Did you mean svc memories add?', 'All commands: svc --help']],
    ['apikey', ['Unknown command "apikey"', 'Did you mean svc apikeys?', 'All commands: svc --help']],
    ['search boiler', ['Unknown command "search"', 'Did you mean svc retrieve?', 'All commands: svc --help']],
    ['xyzzy', ['Unknown command "xyzzy"', 'All commands: svc --help']],
    ['spaces lst', ['Unknown command "spaces lst"', 'Did you mean list?', 'Help: svc spaces --help']],
    ['help spaces lst', ['Unknown command "spaces lst"', 'Did you mean list?', 'Help: svc spaces --help']],
    [
      'help filtres',
      [
        'There is no command or topic "filtres"',
        'Did you mean svc help filters?',
        'All commands and topics: svc --help',
      ],
    ],
    ['spaces list --nme x', ['Unknown flag --nme', 'Did you mean --name?', 'Help: svc spaces list --help']],
    ['spaces list --sevrer=x', ['Unknown flag --sevrer', 'Did you mean --server?', 'Help: svc spaces list --help']],
    [
      'spaces list 3 --limit 4 --nme -- --nam',
      ['Unknown flag --nme', 'Did you mean --name?', 'Help: svc spaces list --help'],
    ],
    ['-v', ['Unknown flag -v', 'Help: svc --help']],
    [
      'spaces --limit 3 list',
      ['Unknown flag --limit', 'Put it after the command: svc spaces list --limit', 'Help: svc spaces --help'],
    ],
    [
      'spaces create',
      ['The argument <name> is missing', 'Usage: svc spaces create <name> [flags]', 'Help: svc spaces create --help'],
    ],
    [
      'spaces list all',
      ['svc spaces list takes no arguments, got 1', 'Usage: svc spaces list [flags]', 'Help: svc spaces list --help'],
    ],
    [
      'retrieve when was it',
      [
        'svc retrieve takes one argument, got 3',
        'A value with spaces needs quotes around it',
        'Help: svc retrieve --help',
      ],
    ],
    ['spaces list -o', ['--output needs a value', 'Write it as -o, --output <form>', 'Help: svc spaces list --help']],
    [
      'spaces list --limit --tls auto',
      ['--limit needs a value', 'Write it as --limit <n>', 'Help: svc spaces list --help'],
    ],
    ['spaces list --limit', ['--limit needs a value', 'Write it as --limit <n>', 'Help: svc spaces list --help']],
    [
      'spaces list --limit 1.5',
      ['--limit must be an integer of at least 1, got "1.5"', 'Help: svc spaces list --help'],
    ],
    ['spaces create x --label a', ['--label must be written key=value, got "a"', 'Help: svc spaces create --help']],
    [
      'spaces list --tls verfy',
      [
        '--tls must be one of auto, verify, pin, insecure, plaintext, got "verfy"',
        'Did you mean verify?',
        'Help: svc spaces list --help',
      ],
    ],
    [
      'health --server ftp://x',
      [
        'Not a server address: "ftp://x"',
        'it is not host:port',
        'Write it as localhost:9090, https://host:9090 or http://host:9090',
      ],
    ],
  ])('svc %s', async (line, lines) => {
    const { code, stdout, stderr } = await cli(line.split(' '));
    const [what, ...more] = lines;
    expect({ code, stdout, stderr }).toEqual({
      code: 64,
      stdout: '',
      stderr: `svc: ${[what, ...more.map((text) => `  ${text}`)].join('\n')}\n`,
    });
  });

  test('a verb without its noun lists the nouns', async () => {
    const { code, stderr } = await cli(['create', 'x']);
    expect(code).toBe(64);
    const [what, why, next] = stderr.split('\n');
    expect(what).toBe('svc: Unknown command "create"');
    expect(why).toMatch(/^ {2}It comes after a noun: spaces, memories, .* or [a-z]+$/);
    expect(next).toBe('  For example: svc spaces create --help');
    const close = (await cli(['creat', 'x'])).stderr.split('\n');
    expect(close[1]).toBe(why?.replace('It', 'create'));
    expect(close[2]).toBe(next);
  });

  test('http:// with --tls verify', async () => {
    const { code, stderr } = await cli(['health', '--tls', 'verify', '--server', 'http://x']);
    expect(code).toBe(64);
    expect(stderr).toContain('means plaintext, which --tls verify forbids');
  });

  test('are one JSON line where JSON was asked for', async () => {
    for (const args of [
      ['spaces', 'lst', '-o', 'json'],
      ['spaces', 'lst', '-ojson'],
      ['--output=ndjson', 'spaces', 'lst'],
    ]) {
      const { code, stdout, stderr } = await cli(args);
      expect({ code, stdout }).toEqual({ code: 64, stdout: '' });
      expect(JSON.parse(stderr)).toEqual({
        error: { code: 'INVALID_ARGUMENT', message: 'Unknown command "spaces lst"', details: 'Did you mean list?' },
      });
      expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    }
  });

  test('an invalid variable is named', async () => {
    const { code, stderr } = await cli(['health'], { env: { SVC_OUTPUT: 'yaml' } });
    expect(code).toBe(64);
    expect(stderr).toContain('SVC_OUTPUT must be one of auto, tui, table, json, ndjson, got "yaml"');
  });
});

test('the version is the one of the package', async () => {
  expect((await cli(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});
