import { describe, expect, test } from 'vitest';
import { OutputClosed } from '../../../../../src/cli/kit/errors.ts';
import { pagerCommand } from '../../../../../src/cli/kit/output/pager.ts';
import { openPager } from '../../../../../src/cli/kit/output/pager-process.ts';
import { SpaceService } from '../../../../../src/shared/gen/service/v1/space_pb.ts';
import { type CliOptions, cli } from '../../../../support/client/host.fixture.ts';
import { useService } from '../../service.fixture.ts';

const start = useService([SpaceService]);
const spaces = Array.from({ length: 51 }, (_, at) => ({
  spaceId: `0198${String(1000 + at)}-0000-7000-8000-000000000001`,
  name: `s${at}`,
}));

/** A terminal whose pager notes what it was given, and in which order things happened. */
async function shown(args: readonly string[], options: CliOptions = {}, write = async (): Promise<void> => {}) {
  const { svc, server } = await start({
    unary: { ListSpaces: () => ({ spaces: spaces.slice(0, 50), nextToken: 'x' }) },
  });
  const events: string[] = [];
  let text = '';
  const result = await svc(args, {
    terminal: true,
    columns: 80,
    env: { SVC_SERVER: `http://127.0.0.1:${server.port}`, SVC_API_KEY: 'svc_test', PAGER: 'less', ...options.env },
    openPager: (command) => {
      events.push(`open ${command}`);
      return {
        sink: {
          write: async (data) => {
            await write();
            text += Buffer.from(data).toString();
          },
        },
        end: async () => void events.push('end'),
      };
    },
  });
  return { ...result, events, text };
}

describe('choice of the pager', () => {
  const decide = (env: Record<string, string>, { terminal = true, plain = false, noPager = false } = {}) =>
    pagerCommand({ env, stdoutIsTerminal: terminal }, { plain, noPager });
  test.each([
    [{}, undefined],
    [{ PAGER: 'less' }, 'less'],
    [{ PAGER: 'less', SVC_PAGER: 'more -d' }, 'more -d'],
    [{ PAGER: 'less', SVC_PAGER: '' }, undefined],
    [{ PAGER: 'cat' }, undefined],
    [{ PAGER: 'less', TERM: 'dumb' }, undefined],
    [{ PAGER: 'less', SVC_PLAIN: '1' }, undefined],
    [{ PAGER: 'less', ACCESSIBLE: '1' }, undefined],
  ])('%j: %s', (env, command) => {
    expect(decide(env)).toBe(command);
  });
  test.each([{ terminal: false }, { plain: true }, { noPager: true }])('none for %j', (wishes) => {
    expect(decide({ PAGER: 'less' }, wishes)).toBeUndefined();
  });
});

test('a list goes through the pager, and its remarks follow', async () => {
  const { code, stdout, stderr, events, text } = await shown(['spaces', 'list']);
  expect({ code, stdout, events }).toEqual({ code: 0, stdout: '', events: ['open less', 'end'] });
  expect(text).toContain('s49');
  expect(stderr).toBe('These are the first 50. To list all of them: --all\n');
});

test.each([
  ['spaces', 'list', '--no-pager'],
  ['spaces', 'delete', 'x'],
  ['spaces', 'list', '--plain'],
])('svc %s %s %s is written at once', async (...args) => {
  expect((await shown(args)).events).toEqual([]);
});

test.each([['--help'], ['spaces', 'list', '--help'], ['help', 'exit-codes']])('help is paged: %s', async (...args) => {
  const { code, stdout, events, text } = await shown(args);
  expect({ code, stdout, events }).toEqual({ code: 0, stdout: '', events: ['open less', 'end'] });
  expect(text).toContain('svc');
  expect((await shown([...args, '--no-pager'])).events).toEqual([]);
});

test('an error before any output needs no pager', async () => {
  const { code, events, stderr } = await shown(['spaces', 'list', '--limit', '0']);
  expect({ code, events }).toEqual({ code: 64, events: [] });
  expect(stderr).toContain('--limit must be');
});

test('a pager that exits early ends the command quietly', async () => {
  const gone = async (): Promise<void> => {
    throw new OutputClosed();
  };
  expect(await shown(['spaces', 'list'], {}, gone)).toMatchObject({
    code: 0,
    stdout: '',
    events: ['open less', 'end'],
  });
});

test('when the shell cannot start the pager the output is written directly', async () => {
  let text = '';
  const stop = new AbortController();
  const { sink, end } = openPager('less', {
    env: {},
    stop,
    stdout: {
      write: async (data) => {
        text += Buffer.from(data).toString();
      },
    },
    shell: '/no/such/shell',
  });
  // Nobody asks how it went until much later: a rejection would have ended the process by then.
  await new Promise((resolve) => setImmediate(resolve));
  await sink.write('one ');
  await sink.write('two');
  await end();
  expect({ text, isStopped: stop.signal.aborted }).toEqual({ text: 'one two', isStopped: false });
});

test('without an installed pager the output is written directly', async () => {
  const { stdout } = await cli(['help', 'exit-codes'], { terminal: true, env: { PAGER: 'less' } });
  expect(stdout).toContain('Exit codes');
});
