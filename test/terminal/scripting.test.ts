import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cli } from '../support/client/host.fixture.ts';
import { SVC_IN_SHELL } from '../support/command.ts';
import { useOwnUser } from '../support/server.fixture.ts';
import { hasTool } from '../support/tools.ts';

const PAGE = new URL('../../docs/scripting.md', import.meta.url);

interface Result {
  code: number;
  stdout: string;
  stderr: string;
}

const user = useOwnUser();
let env: Record<string, string>;
let folder: string;

/** The recipes of the page run in its order, in one folder and by one user, as they stand there. */
const recipes = recipesOf(await readFile(PAGE, 'utf8'));

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-recipes-'));
  await mkdir(join(folder, 'bin'));
  await writeFile(join(folder, 'bin/svc'), `#!/bin/sh\nexec ${SVC_IN_SHELL} "$@"\n`);
  await chmod(join(folder, 'bin/svc'), 0o755);
  env = {
    ...user.env,
    PATH: [join(folder, 'bin'), process.env.PATH ?? ''].join(delimiter),
    HOME: folder,
  };
});
afterAll(() => rm(folder, { recursive: true }));

const path = (name: string): string => join(folder, name);
/** What prepares a recipe and looks at what it has done runs in this process; a recipe has processes of its own. */
const svc = async (...args: string[]): Promise<string> => {
  const { code, stdout, stderr } = await cli(args, { env });
  expect({ code, stderr }, args.join(' ')).toMatchObject({ code: 0 });
  return stdout;
};
const records = async (...args: string[]): Promise<Record<string, unknown>[]> =>
  (await svc(...args, '-o', 'ndjson'))
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

/** What is there before a recipe runs, and what has to be there afterwards. */
const EXPECTED: Readonly<Record<string, { before?: () => Promise<unknown>; after: (result: Result) => unknown }>> = {
  'Wait for the server': {
    after: ({ stdout }) => expect(stdout).toBe(''),
  },
  'Make a space unless it is there': {
    after: async ({ stdout }) => {
      expect(await records('spaces', 'list')).toMatchObject([{ name: 'notes', spaceId: stdout.trim() }]);
    },
  },
  'Results as a custom table': {
    before: async () => {
      await mkdir(path('files'));
      await writeFile(path('files/boiler.txt'), 'The boiler was serviced on 3 March.');
      await writeFile(path('files/roof.md'), 'The roof was mended in June.');
      await svc('memories', 'add', 'notes', path('files'), '--wait');
    },
    after: ({ stdout }) => expect(stdout).toMatch(/^0\.\d+\tThe boiler was serviced on 3 March\.\n/),
  },
  'The files that answer a question': {
    after: ({ stdout }) => expect(stdout.split('\n')).toContainEqual(expect.stringMatching(/files\/roof\.md$/)),
  },
  'Many questions, several at once': {
    before: async () => {
      await mkdir(path('answers'));
      await writeFile(path('questions.txt'), 'boiler\nroof\nwhat is new?\n');
    },
    after: async () => {
      const files = await readdir(path('answers'));
      expect(files).toHaveLength(3);
      for (const file of files) expect(await readFile(path(`answers/${file}`), 'utf8')).toContain('"END"');
    },
  },
  'Store what a program prints': {
    before: async () => {
      const git = (...args: string[]) => bash(`git ${args.join(' ')}`);
      expect(await git('init', '-q', '.')).toMatchObject({ code: 0 });
      const identity = '-c user.name=robot -c user.email=robot@example.org';
      expect(await git(identity, 'commit', '-q', '--allow-empty', '-m', '"Mend the gutter"')).toMatchObject({
        code: 0,
      });
    },
    after: async () => {
      const stored = await records('memories', 'list', 'notes');
      expect(stored).toContainEqual(expect.objectContaining({ metadata: { source: 'git' } }));
    },
  },
  'A space that follows a folder, from cron': {
    before: async () => {
      await writeFile(path('files/boiler.txt'), 'The boiler was replaced in May.');
    },
    after: async () => {
      expect(await readFile(path('sync.log'), 'utf8')).toContain('upload\tfiles/boiler.txt\tCOMPLETED');
      expect(await cli(['sync', 'notes', path('files'), '--source', 'files'], { env })).toMatchObject({
        code: 0,
        stdout: '',
      });
      const versions = (await records('memories', 'list', 'notes')).filter(
        ({ metadata }) => (metadata as { path?: string }).path === 'files/boiler.txt',
      );
      expect(versions).toHaveLength(1);
    },
  },
  'Delete what failed': {
    before: async () => {
      await writeFile(path('broken.pdf'), 'not a PDF');
      await cli(['memories', 'add', 'notes', path('broken.pdf'), '--wait'], { env });
      expect(await records('memories', 'list', 'notes', '--status', 'FAILED')).toHaveLength(1);
    },
    after: async () => expect(await records('memories', 'list', 'notes', '--status', 'FAILED')).toEqual([]),
  },
  'Back up a space and bring it back': {
    after: async () => {
      const paths = async (space: string) =>
        (await records('memories', 'list', space)).map(({ metadata }) => JSON.stringify(metadata)).sort();
      expect(await paths('restored')).toEqual(await paths('notes'));
    },
  },
  'Fail a CI job when answers get worse': {
    before: async () => {
      const roof = (await records('memories', 'list', 'notes')).find(({ metadata }) =>
        String((metadata as { path?: string }).path).endsWith('roof.md'),
      );
      const line = JSON.stringify({ question: 'when was the roof mended?', memoryIds: [roof?.memoryId] });
      await writeFile(path('questions.ndjson'), `${line}\n`);
    },
    after: ({ stdout }) => expect(stdout).toBe('true\n'),
  },
  'Rotate a key': {
    before: async () => void (await svc('apikeys', 'create', '--label', 'robot=sync')),
    after: async () => {
      const robots = (await records('apikeys', 'list')).filter(({ labels }) => 'robot' in Object(labels));
      expect(robots).toHaveLength(1);
      expect((await readFile(path('robot.key'), 'utf8')).trim()).toMatch(/^svc_[a-z2-7]{32}$/);
    },
  },
  'Alert when a model gets slow': {
    after: ({ stdout }) => expect(stdout).toBe('true\n'),
  },
  'Tell failures apart': {
    before: () => writeFile(path('report.txt'), 'All is well.'),
    after: ({ stdout }) => expect(stdout).toMatch(/stored\n$/),
  },
};

test('every recipe of the page is run here, and no other', () => {
  expect(Object.keys(EXPECTED)).toEqual(recipes.map(({ title }) => title));
});

if (hasTool('jq')) {
  test.each(recipes)('$title', async ({ title, script }) => {
    const expected = EXPECTED[title];
    await expected?.before?.();
    const result = await bash(script);
    expect(result.code, result.stderr).toBe(0);
    await expected?.after(result);
  });
}

interface Recipe {
  title: string;
  script: string;
}

function recipesOf(page: string): Recipe[] {
  return page
    .split(/^## \d+\. /m)
    .slice(1)
    .map((part) => ({
      title: part.slice(0, part.indexOf('\n')),
      script: /^```sh\n(.*?)^```$/ms.exec(part)?.[1] ?? '',
    }));
}

function bash(script: string): Promise<Result> {
  return new Promise((resolve) => {
    execFile(
      'bash',
      ['--norc', '--noprofile', '-euo', 'pipefail', '-c', script],
      { cwd: folder, env },
      (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
      },
    );
  });
}
