import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ERROR_CODES, type ErrorCode } from '../../../../../src/shared/errors.ts';
import { ANSWERS, CALLING, useFailingService, WHERE, working } from '../../errors.fixture.ts';
import { SAMPLE_WORDS } from '../../sample-lines.fixture.ts';
import { id } from '../../samples/values.fixture.ts';

const { server, sample, told } = useFailingService();

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
    server.failing = code;
    // Those that make many calls wait until a server that goes away is back.
    const waiting = code === 'UNAVAILABLE' ? ['eval', 'spaces export', 'spaces copy'] : [];
    const where = everywhere(waiting).filter(({ path }) => WHERE[code]?.test(path) ?? true);
    expect(await told(where, ERROR_CODES[code].exit)).toMatchSnapshot();
  });

  test('NOT_FOUND', async () => {
    server.failing = 'NOT_FOUND';
    const named = everywhere().filter(({ path }) => (SAMPLE_WORDS[path] ?? []).some((word) => SAMPLE_ID.test(word)));
    expect(named.length).toBeGreaterThan(0);
    expect(await told(named, 66)).toMatchSnapshot();
  });

  test.each(['PERMISSION_DENIED', 'RESOURCE_EXHAUSTED', 'INVALID_ARGUMENT'] as const)(
    '%s, to an upload and an import',
    async (code) => {
      server.failing = code;
      const lines: string[] = [];
      for (const path of OTHERWISE) {
        const result = await sample.svc(working(path));
        expect([ERROR_CODES[code].exit, 65]).toContain(result.code);
        lines.push(`svc ${path}: ${result.code}\n${result.stdout}${result.stderr}`);
      }
      expect(`\n${lines.join('\n')}`).toMatchSnapshot();
    },
  );

  test('no answer: the connection is refused', async () => {
    // Nobody listens on the port that means "none in particular".
    const refused = (server: string) =>
      everywhere().map((one) => ({ ...one, options: { env: { SVC_SERVER: server } } }));
    expect(await told(refused('http://127.0.0.1:1'), 69)).toMatchSnapshot();
    expect(await told(refused('127.0.0.1:1').slice(0, 1), 69)).toMatchSnapshot('TLS');
  });
});

test('unknown names', async () => {
  server.isEmpty = true;
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

test('an empty list is a success that says on stderr what to do next', async () => {
  server.isEmpty = true;
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
