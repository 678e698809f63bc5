import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { flagName } from '../../src/cli/flags/flag.ts';
import { ENTRIES } from '../../src/cli/registry.ts';
import { cli } from './cli-host.ts';

describe('help', () => {
  test('the program', async () => {
    const { code, stdout, stderr } = await cli(['--help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatchInlineSnapshot(`
      "Usage: svc <command> [flags]

      A memory service: store memories, find them again by meaning.

      Flags:
        --version              Print the version
        --server <addr>        host:port, https://host:port or http://host:port (env SVC_SERVER)
        --api-key <key>        API key (env SVC_API_KEY)
        --api-key-file <file>  File that holds the API key, - for stdin
        --profile <name>       Profile of the config file (env SVC_PROFILE)
        -o, --output <form>    Form of the output: auto, tui, table, json, ndjson (env SVC_OUTPUT)
        --tls <mode>           How to connect; auto prefers verified TLS and tells what it had to accept:
                               auto, verify, pin, insecure, plaintext (env SVC_TLS)
        --no-color             No colour (env NO_COLOR)
        --plain                Plain lines without redrawing (env SVC_PLAIN)
        --debug                Show calls and their metadata on stderr, keys masked
        -h, --help             Print help

      Commands:
        serve                  Run the server
        init                   Make the root user and its key on a new server
        spaces                 Make and manage spaces, which hold memories
        memories               Store, read and delete memories
        retrieve               Find memories by meaning
        embedders              Manage the models that embed texts
        llms                   Manage the models that write summaries
        rerankers              Manage the models that sort results by relevance
        ocr                    Recognise the text of a document or an image
        users                  Make and manage users
        apikeys                Make and manage API keys
        ping                   Probe an embedder, LLM or reranker
        system                 Look at the server
        health                 Ask whether the server is up
        help [command]         Print help for a command

      Help for one command: svc <command> --help
      "
    `);
  });

  test.each([60, 80, 120])('a command on %i columns stays within them', async (columns) => {
    const { stdout } = await cli(['spaces', 'create', '--help'], { terminal: true, columns });
    const examples = stdout.indexOf('\nExamples:');
    for (const line of stdout.slice(0, examples).split('\n')) expect(line.length).toBeLessThanOrEqual(columns);
  });

  test('a noun', async () => {
    expect((await cli(['spaces', '--help'])).stdout).toMatchInlineSnapshot(`
      "Usage: svc spaces <command> [flags]

      Make and manage spaces, which hold memories.

      Flags:
        -h, --help      Print help

      Commands:
        create <name>   Make a space
        list            List spaces, newest first
        get <space>     Show a space
        update <space>  Change name, visibility, labels or retention of a space
        delete <space>  Delete a space with everything in it
      "
    `);
  });

  test('a command', async () => {
    expect((await cli(['memories', 'add', '--help'])).stdout).toMatchInlineSnapshot(`
      "Usage: svc memories add|create <space> <path...> [flags]

      Store files as memories.

      Takes files, folders (without hidden files, node_modules and links to folders), patterns, or - for
      stdin.

      What the space has already is not sent again: a second run uploads only what has changed, an
      interrupted one goes on.

      Paths are kept as seen from the working folder, so run it again from the same one.

      Arguments:
        space                   Name or id of the space
        path                    Files, folders, patterns, or -

      Flags:
        --wait                  Wait until every memory has been processed
        --parallel <n>          Files under way at once (default 4)
        --metadata <key=value>  Metadata of each memory (repeatable)
        --content-type <type>   Content type of each file (default: by its extension)
        --page-images           Keep images of the pages of PDFs and images
        --dry-run               Only say what would be uploaded
        --chunking <method>     How content is cut: none, recursive, sentence
        --chunk-size <n>        The most characters or tokens of a chunk
        --chunk-overlap <n>     How much of a chunk is repeated in the next
        --separator <text>      Where to cut, best first (repeatable; \\n and \\t are read)
        --keep <side>           Which piece keeps the separator: start, end
        --length <unit>         What the sizes count: chars, tokens
        -h, --help              Print help

      Examples:
        svc memories add house notes/ --wait
        svc memories add papers '**/*.pdf' --metadata source=archive --parallel 8
        svc memories add house - < note.txt

      Flags of every command: svc --help
      "
    `);
  });

  test('help NOUN COMMAND is the help of that command', async () => {
    const asked = await cli(['help', 'spaces', 'create']);
    expect(asked).toEqual(await cli(['spaces', 'create', '--help']));
    expect(asked.code).toBe(0);
    expect((await cli(['help'])).stdout).toBe((await cli(['--help'])).stdout);
  });

  test('a noun without a command shows its help on stderr and counts as a mistake', async () => {
    const { code, stdout, stderr } = await cli(['spaces']);
    expect({ code, stdout }).toEqual({ code: 64, stdout: '' });
    expect(stderr).toContain('Usage: svc spaces <command>');
  });

  test('every record is complete and its flags do not hide the general ones', async () => {
    const general = [
      'server',
      'api-key',
      'api-key-file',
      'profile',
      'output',
      'tls',
      'no-color',
      'plain',
      'debug',
      'help',
      'version',
    ];
    for (const entry of ENTRIES) {
      const module = await entry.load();
      for (const record of module.kind === 'group' ? module.commands : [module.command]) {
        expect(record.summary, record.name).not.toMatch(/\.$/);
        expect(new Set(record.examples).size, record.name).toBe(3);
        const first = module.kind === 'group' ? `${entry.name} ` : entry.name;
        for (const example of record.examples) expect(example.startsWith(first), example).toBe(true);
        for (const { term } of Object.values(record.flags)) expect(general).not.toContain(flagName(term));
        const { code } = await cli([...(module.kind === 'group' ? [entry.name] : []), record.name, '--help']);
        expect(code, record.name).toBe(0);
      }
    }
  });

  test('help, version and mistakes do without the gRPC library and the server', async () => {
    const main = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));
    const script = `
      import { createRequire } from 'node:module';
      const { main } = await import(${JSON.stringify(main)});
      await main(['node', 'svc', ...process.argv.slice(1)]);
      const loaded = Object.keys(createRequire(import.meta.url).cache);
      console.error(JSON.stringify(loaded.filter((file) => /@grpc|fastify|\\/pg\\//.test(file))));
      process.exitCode = 0;`;
    for (const args of [['--help'], ['--version'], ['spaces', 'list', '--limit', 'many'], ['serve', '--help']]) {
      const { stderr } = await promisify(execFile)(process.execPath, [
        '--import',
        'tsx',
        '--input-type=module',
        '-e',
        script,
        '--',
        ...args,
      ]);
      expect(stderr.trim().split('\n').at(-1), args.join(' ')).toBe('[]');
    }
  });
});

describe('mistakes', () => {
  test.each([
    [['spaces', 'lst'], "svc: Unknown command 'lst'\n  Did you mean list?\n  Help: svc spaces --help\n"],
    [['help', 'nosuch'], "svc: Unknown command 'nosuch'\n  All commands: svc --help\n"],
    [['help', 'spaces', 'lst'], "svc: Unknown command 'spaces lst'\n  All commands: svc --help\n"],
    [
      ['spaces', 'list', '--nme', 'x'],
      "svc: Unknown option '--nme'\n  Did you mean --name?\n  Help: svc spaces list --help\n",
    ],
    [['spaces', 'create'], "svc: Missing required argument 'name'\n  Help: svc spaces create --help\n"],
    [
      ['spaces', 'list', '--limit', '1.5'],
      'svc: --limit must be a whole number of at least 1, got "1.5"\n  Help: svc spaces list --help\n',
    ],
    [
      ['spaces', 'create', 'x', '--label', 'team'],
      'svc: --label must be written key=value, got "team"\n  Help: svc spaces create --help\n',
    ],
    [
      ['spaces', 'list', '--tls', 'maybe'],
      'svc: --tls must be one of auto, verify, pin, insecure, plaintext, got "maybe"\n  Help: svc spaces list --help\n',
    ],
    [
      ['health', '--server', 'ftp://x'],
      'svc: Not a server address: "ftp://x"\n  it is not host:port\n  Write it as localhost:9090, https://host:9090 or http://host:9090\n',
    ],
    [
      ['health', '--tls', 'verify', '--server', 'http://x'],
      expect.stringContaining('means plaintext, --tls verify forbids it'),
    ],
  ])('%j', async (args, expected) => {
    const { code, stdout, stderr } = await cli(args);
    expect({ code, stdout, stderr }).toEqual({ code: 64, stdout: '', stderr: expected });
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
        error: { code: 'INVALID_ARGUMENT', message: "Unknown command 'lst'", details: 'Did you mean list?' },
      });
      expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    }
  });

  test('a wrong variable is named', async () => {
    const { code, stderr } = await cli(['health'], { env: { SVC_OUTPUT: 'yaml' } });
    expect(code).toBe(64);
    expect(stderr).toContain('SVC_OUTPUT must be one of auto, tui, table, json, ndjson, got "yaml"');
  });
});

test('the version is the one of the package', async () => {
  expect((await cli(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});
