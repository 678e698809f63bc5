import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SpaceService } from '../../src/shared/gen/service/v1/space_pb.ts';
import { UserService } from '../../src/shared/gen/service/v1/user_pb.ts';
import { startGrpcServer, type TestGrpcServer } from '../support/client/grpc-server.fixture.ts';
import { BINARY } from '../support/command.ts';
import { type TestTerminal, useTerminals } from '../support/terminal.ts';
import { hasTool } from '../support/tools.ts';

const NAMES = ['house', 'my space', "o'neil", 'team:alpha', 'team:beta'];
const PROMPT = 'ready> ';

let server: TestGrpcServer;
let folder: string;
let env: Record<string, string>;
const open = useTerminals();

beforeAll(async () => {
  server = await startGrpcServer([SpaceService, UserService], {
    unary: {
      ListUsers: () => ({
        users: ['ada', 'adam'].map((name) => ({
          userId: `id-${name}`,
          email: `${name}@example.org`,
          displayName: name,
        })),
      }),
      ListSpaces: () => ({
        spaces: NAMES.map((name, at) => ({ name, spaceId: `01980000-0000-7000-8000-00000000000${at}` })),
      }),
    },
  });
  folder = mkdtempSync(join(tmpdir(), 'svc-completion-'));
  symlinkSync(BINARY, join(folder, 'svc'));
  writeFileSync(join(folder, 'notes.txt'), '');
  env = {
    PATH: `${folder}:${process.env.PATH}`,
    HOME: folder,
    SVC_SERVER: `http://127.0.0.1:${server.port}`,
    SVC_API_KEY: 'svc_test',
  };
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

/** Types each line with a tab behind it and waits for what the shell makes of it. */
async function completes(
  shell: TestTerminal,
  setUp: string,
  lines: readonly (readonly [string, string])[],
): Promise<void> {
  shell.type(`PS1='${PROMPT}'; ${setUp}\r`);
  await shell.shows(new RegExp(`^${PROMPT}$`, 'm'));
  for (const [typed, completed] of lines) {
    shell.type(`${typed}\t`);
    await shell.shows(`${PROMPT}${completed}`);
    // An empty line again: the next one is looked for behind a new prompt.
    shell.type('\u0015\r');
  }
}

test('bash completes commands, quoted names, values behind separators and files', async () => {
  const bash = open(['--norc', '--noprofile', '-i'], { program: 'bash', columns: 100, rows: 40, cwd: folder, env });
  await completes(bash, "bind 'set enable-bracketed-paste off'; source <(svc completion bash)", [
    ['svc sp', 'svc spaces '],
    ['svc spaces get my', 'svc spaces get my\\ space '],
    ['svc retrieve q --space=team:a', 'svc retrieve q --space=team:alpha '],
    ['svc memories add house no', 'svc memories add house notes.txt '],
    ['svc users get adam', 'svc users get adam@example.org '],
    ['svc users get ada@', 'svc users get ada@example.org '],
    ['svc users get ada@ex', 'svc users get ada@example.org '],
  ]);
  bash.type('svc spaces \t\t');
  await bash.shows(/^list +\(List spaces/m);
  // The two dashes alone are a word like any other.
  bash.type('\u0015\rsvc spaces list --\t\t');
  await bash.shows(/^--name +\(/m);
  bash.type('\u0015\rsvc --\t\t');
  await bash.shows(/^--server +\(host:port/m);
});

if (hasTool('zsh')) {
  test('zsh completes commands, names with quotes and colons, and files', async () => {
    const zsh = open(['-f', '-i'], { program: 'zsh', columns: 100, rows: 40, cwd: folder, env });
    await completes(zsh, 'autoload -U compinit; compinit -D; source <(svc completion zsh)', [
      ["svc spaces get 'my", "svc spaces get 'my space'"],
      ['svc retrieve q --space=team:a', 'svc retrieve q --space=team:alpha'],
      ['svc memories add house no', 'svc memories add house notes.txt'],
    ]);
    zsh.type('svc spaces \t');
    await zsh.shows(/^list +-- List spaces/m);
    zsh.type('\u0015\rsvc spaces list --\t');
    await zsh.shows(/^--name +-- /m);
  });
}

if (hasTool('fish')) {
  test('fish completes commands, names with quotes and colons, and files', async () => {
    const script = 'svc completion fish | source; for line in $argv; complete -C $line; end';
    const fish = async (lines: readonly string[]): Promise<string> => {
      const options = { cwd: folder, env: { ...process.env, ...env } };
      const { stdout } = await promisify(execFile)('fish', ['--no-config', '-c', script, '--', ...lines], options);
      return stdout.trimEnd();
    };
    const flags = (await fish(['svc spaces list --'])).split('\n').map((line) => line.split('\t')[0]);
    expect(flags).toEqual(expect.arrayContaining(['--name', '--server', '--help']));
    const lines = ['svc sp', "svc spaces get 'my", 'svc retrieve q --space=team:a', 'svc memories add house no'];
    expect((await fish(lines)).split('\n')).toEqual([
      'spaces\tMake and manage spaces, which hold memories',
      'my space\t01980000-0000-7000-8000-000000000001',
      '--space=team:alpha\t01980000-0000-7000-8000-000000000003',
      'notes.txt',
    ]);
  });
}
