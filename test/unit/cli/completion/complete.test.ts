import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bashAnswer, splitLine } from '../../../../src/cli/completion/bash.ts';
import { ApiKeyService } from '../../../../src/shared/gen/service/v1/api_key_pb.ts';
import { EmbedderService } from '../../../../src/shared/gen/service/v1/embedder_pb.ts';
import { LLMService } from '../../../../src/shared/gen/service/v1/llm_pb.ts';
import { MemoryService } from '../../../../src/shared/gen/service/v1/memory_pb.ts';
import { SpaceService } from '../../../../src/shared/gen/service/v1/space_pb.ts';
import { UserService } from '../../../../src/shared/gen/service/v1/user_pb.ts';
import { startGrpcServer, type TestGrpcServer } from '../../../support/client/grpc-server.fixture.ts';
import { cli } from '../../../support/client/host.fixture.ts';
import { certificate, tlsCredentials } from '../tls.fixture.ts';

const EMBEDDER = '01980000-0000-7000-8000-0000000000e1';
const SPACES = [
  { name: 'house', spaceId: '01980000-0000-7000-8000-0000000000b1' },
  { name: 'my space', spaceId: '01980000-0000-7000-8000-0000000000b2' },
  // Names that would be taken for something else are not offered.
  { name: '--server=elsewhere', spaceId: '01980000-0000-7000-8000-0000000000b3' },
  { name: ':files', spaceId: '01980000-0000-7000-8000-0000000000b4' },
];

let server: TestGrpcServer;
let folder: string;
let env: Record<string, string>;

beforeAll(async () => {
  // Self-signed: what a connection teaches and has to be told must stay out of a completion.
  const credentials = tlsCredentials(await certificate(['127.0.0.1']));
  server = await startGrpcServer(
    [SpaceService, MemoryService, EmbedderService, LLMService, UserService, ApiKeyService],
    {
      unary: {
        ListSpaces: () => ({ spaces: SPACES }),
        ListMemories: () => ({
          memories: [
            { memoryId: 'm-1', metadata: { filename: 'a\u001b[31mb.txt' } },
            { memoryId: 'm-2', metadata: { filename: 'b.txt', path: 'notes/b.txt' } },
            { memoryId: 'm-3' },
          ],
        }),
        ListEmbedders: () => ({
          embedders: [
            { embedderId: EMBEDDER, displayName: 'Lexical' },
            { embedderId: 'e-2', displayName: 'Twice' },
            { embedderId: 'e-3', displayName: 'Twice' },
            { embedderId: 'e-4', displayName: '-v' },
          ],
        }),
        ListUsers: () => ({
          users: [
            { userId: 'u-1', email: 'ada@example.org', username: 'ada', displayName: 'Ada' },
            { userId: 'u-2', email: '', displayName: 'Root' },
          ],
        }),
        ListApiKeys: () => ({
          keys: [
            { apiKeyId: 'k-1', keyPrefix: 'svc_abcd', labels: { robot: 'sync' } },
            { apiKeyId: 'k-2', keyPrefix: 'svc_efgh', labels: { name: 'cron', team: 'home' } },
            { apiKeyId: 'k-3', keyPrefix: 'svc_efgh', labels: {} },
          ],
        }),
        ListLLMs: () => Promise.reject(new Error('broken')),
      },
    },
    credentials,
  );
  folder = mkdtempSync(join(tmpdir(), 'svc-completion-'));
  mkdirSync(join(folder, 'svc'));
  const profiles = { home: { server: `127.0.0.1:${server.port}`, apiKey: 'svc_home' }, work: { server: 'work:9090' } };
  writeFileSync(join(folder, 'svc', 'config.json'), JSON.stringify({ currentProfile: 'home', profiles }), {
    mode: 0o600,
  });
  env = { XDG_CONFIG_HOME: folder };
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

/** The values that are offered behind the words, of which the last is under the cursor. */
async function offered(...words: string[]): Promise<string[]> {
  const { stdout, stderr } = await cli(['__complete', '--', ...words], { env });
  expect(stderr).toBe('');
  return stdout.split('\n').flatMap((line) => (line === '' ? [] : [line.split('\t')[0] ?? '']));
}

describe('from the records', () => {
  test.each([
    [['sp'], ['spaces']],
    [
      ['rerankers', ''],
      ['create', 'list', 'get', 'update', 'delete'],
    ],
    [['--server', 'x', 'spaces', 'li'], ['list']],
    [['spaces', 'list', '--so'], ['--sort']],
    [
      ['spaces', 'list', '--sort', ''],
      ['created', 'updated', 'name'],
    ],
    [['spaces', 'list', '--sort=na'], ['--sort=name']],
    [['-o', 'nd'], ['ndjson']],
    [
      ['serve', '--log-format', ''],
      ['auto', 'text', 'json'],
    ],
    [['completion', 'po'], ['powershell']],
    [['help', 'f'], ['filters']],
    [['help', 'spaces', 'g'], ['get']],
    [['serve', '--data-dir', ''], [':files']],
    [['memories', 'add', 'house', ''], [':files']],
    [['memories', 'add', 'house', 'a', 'b'], [':files']],
    [['spaces', 'list', '--no-such='], []],
    [['spaces', 'nosuch', ''], []],
    [['spaces', 'list', 'x', ''], []],
    [['spaces', 'get', '--', '--'], []],
  ])('%j', async (words, expected) => {
    expect(await offered(...words)).toEqual(expected);
  });

  test('a switch that has been given is not offered again, a flag with a value is', async () => {
    const flags = await offered('spaces', 'list', '--all', '--name', 'x', '-');
    expect(flags).toContain('--name');
    expect(flags).toContain('--server');
    expect(flags).not.toContain('--all');
  });

  test('descriptions follow a tab', async () => {
    const { stdout } = await cli(['__complete', '--', 'spaces', 'li']);
    expect(stdout).toBe('list\tList spaces, newest first\n');
  });
});

describe('from the server', () => {
  test('no call goes to a server with an unknown certificate', async () => {
    const before = readFileSync(join(folder, 'svc', 'config.json'), 'utf8');
    expect(await offered('spaces', 'get', '')).toEqual([]);
    expect(server.calls).toEqual([]);
    expect(readFileSync(join(folder, 'svc', 'config.json'), 'utf8')).toBe(before);
    expect((await cli(['spaces', 'list'], { env })).stderr).toContain('self-signed');
  });

  test('names of spaces, and ids once a prefix of one is typed', async () => {
    expect(await offered('spaces', 'get', '')).toEqual(['house', 'my space']);
    expect(await offered('spaces', 'get', '0198')).toEqual(SPACES.map(({ spaceId }) => spaceId));
    expect(await offered('retrieve', 'x', '--space=h')).toEqual(['--space=house']);
  });

  test('the profile and the typed flags apply', async () => {
    await offered('spaces', 'get', '');
    expect(server.calls.at(-1)).toMatchObject({ name: 'ListSpaces', key: 'svc_home' });
    await offered('--api-key', 'svc_typed', 'spaces', 'get', '');
    expect(server.calls.at(-1)).toMatchObject({ name: 'ListSpaces', key: 'svc_typed' });
    expect(await offered('--tls', 'verify', 'spaces', 'get', '')).toEqual([]);
    const before = server.calls.length;
    const other = ['--server', `localhost:${server.port}`];
    expect(await offered(...other, 'spaces', 'get', '')).toEqual([]);
    expect(server.calls).toHaveLength(before);
    const lax = [...other, '--api-key', 'svc_typed', '--tls', 'insecure'];
    expect(await offered(...lax, 'spaces', 'get', '')).toEqual(['house', 'my space']);
  });

  test('no key goes to a server without a remembered certificate, over TLS that was not requested', async () => {
    const plain = await startGrpcServer([SpaceService], { unary: { ListSpaces: () => ({ spaces: SPACES }) } });
    const typed = async (...words: string[]) => {
      const asked = await cli(['__complete', '--', ...words, 'spaces', 'get', ''], {
        env: { SVC_API_KEY: 'svc_mine' },
      });
      expect(asked.stderr).toBe('');
      return asked.stdout;
    };
    const before = server.calls.length;
    expect(await typed('--server', `127.0.0.1:${server.port}`)).toBe('');
    expect(server.calls).toHaveLength(before);
    expect(await typed('--server', `127.0.0.1:${plain.port}`)).toBe('');
    expect(await typed('--server', `https://127.0.0.1:${plain.port}`)).toBe('');
    expect(plain.calls).toEqual([]);
    expect(await typed('--server', `http://127.0.0.1:${plain.port}`)).toContain('house');
    expect(await typed('--server', `127.0.0.1:${plain.port}`, '--tls', 'plaintext')).toContain('house');
    expect(plain.calls.map(({ key }) => key)).toEqual(['svc_mine', 'svc_mine']);
    plain.close();
  });

  test('memories of the space that was typed, by path or else id; no escape sequence of a name gets through', async () => {
    const id = SPACES[1]?.spaceId ?? '';
    const { stdout } = await cli(['__complete', '--', 'memories', 'chunks', '--space', id, 'm'], { env });
    expect(stdout).toBe('m-1\ta [31mb.txt\nm-3\n');
    expect(server.calls.at(-1)).toMatchObject({ name: 'ListMemories', request: { spaceId: id } });
    expect(await offered('memories', 'chunks', '--space', id, 'notes')).toEqual(['notes/b.txt']);
  });

  test('targets of the kinds that can be listed', async () => {
    expect(await offered('ping', 'L')).toEqual(['Lexical']);
  });

  test('unique names that can be typed, ids for the others and once a prefix of one is typed', async () => {
    expect(await offered('embedders', 'get', '')).toEqual(['Lexical', 'e-2', 'e-3', 'e-4']);
    expect(await offered('spaces', 'create', 'x', '--embedder=')).toContain('--embedder=Lexical');
    expect(await offered('embedders', 'get', EMBEDDER.slice(0, 4))).toEqual([EMBEDDER]);
    expect(await offered('users', 'get', '')).toEqual(['ada@example.org', 'Root']);
    expect(await offered('spaces', 'list', '--owner', 'ada')).toEqual(['ada@example.org']);
    expect(await offered('apikeys', 'get', '')).toEqual(['svc_abcd', 'cron', 'k-3']);
    const { stdout } = await cli(['__complete', '--', 'apikeys', 'delete', ''], { env });
    expect(stdout).toBe('svc_abcd\trobot=sync\ncron\tsvc_efgh name=cron team=home\nk-3\tsvc_efgh\n');
  });

  test('profiles of the config file', async () => {
    expect(await offered('--profile', '')).toEqual(['home', 'work']);
  });

  test('no candidates without a server, with the key on stdin, or with a broken config file', async () => {
    expect(await offered('--server', 'http://127.0.0.1:1', 'spaces', 'get', '')).toEqual([]);
    expect(await offered('--api-key-file', '-', 'spaces', 'get', '')).toEqual([]);
    expect(await offered('--tls', 'nonsense', 'spaces', 'get', '')).toEqual([]);
    expect(await offered('--profile', 'nosuch', 'spaces', 'get', '')).toEqual([]);
  });
});

describe('bash', () => {
  const answer = (typed: string, seen: string, values: readonly string[], type = '9') =>
    bashAnswer(
      values.map((value) => ({ value, text: `about ${value}` })),
      splitLine(typed),
      [seen, type, '40'],
    );

  test.each([
    ['svc get my', 'my', ['my space'], 'my\\ space\n'],
    ["svc get 'my", "'my", ["my o'neil"], "my o'\\''neil\n"],
    ['svc get "my', '"my', ['my $x'], 'my \\$x\n'],
    ['svc get "my', '"my', ['my!x"'], 'my"\\!"x\\"\n'],
    ['svc get team:a', 'a', ['team:alpha'], 'alpha\n'],
    ['svc get team:', ':', ['team:alpha'], 'alpha\n'],
    ['svc x --space=', '=', ['--space=a b'], 'a\\ b\n'],
    ['svc x --space=te', 'te', ['--space=team'], 'team\n'],
    ['svc get my\\ sp', 'my\\ sp', ['my space'], 'my\\ space\n'],
    ['svc get caf', 'caf', ['café;rm'], 'café\\;rm\n'],
  ])('%s', (typed, seen, values, expected) => {
    expect(answer(typed, seen, values)).toBe(expected);
  });

  test('several candidates have descriptions, within the width; inserted ones never', () => {
    expect(answer('svc s', 's', ['spaces', 'sp'])).toBe('spaces  (about spaces)\nsp      (about sp)\n');
    expect(answer('svc s', 's', ['spaces', 'sp'], '37')).toBe('spaces\nsp\n');
    expect(answer('svc s', 's', ['s'.repeat(30), 'sp']).split('\n')[0]).toHaveLength(39);
  });

  test('words are split without being executed', () => {
    expect(splitLine(`svc a\\ b 'c d' "e \\"f" $(rm) `).words).toEqual(['svc', 'a b', 'c d', 'e "f', '$(rm)', '']);
    expect(splitLine("svc 'open q")).toEqual({ words: ['svc', 'open q'], raw: "'open q", quote: "'" });
  });
});

test('every shell has a script that requests candidates; an unknown shell gets the list of shells', async () => {
  for (const shell of ['bash', 'zsh', 'fish', 'powershell']) {
    const { code, stdout } = await cli(['completion', shell]);
    expect(code).toBe(0);
    expect(stdout).toContain('svc __complete');
    expect(stdout).toMatchSnapshot(shell);
  }
  const { code, stderr } = await cli(['completion', 'fisch']);
  expect(code).toBe(64);
  expect(stderr).toBe(
    'svc: The shell must be one of bash, zsh, fish, powershell, got "fisch"\n  Did you mean fish?\n  Help: svc completion --help\n',
  );
});

test('the empty word that PowerShell cannot pass', async () => {
  const asked = await cli(['__complete', '--next', '--', 'completion']);
  expect(asked).toEqual(await cli(['__complete', '--', 'completion', '']));
  expect(asked.stdout).toBe('bash\nzsh\nfish\npowershell\n');
});
