import { describe, expect, test } from 'vitest';
import { flagNames, takesValue } from '../../../../src/cli/kit/flags/flag.ts';
import { commands, flagsOf, isNeeded, type Situation, useFailingService, working } from '../errors.fixture.ts';
import { id } from '../samples/values.fixture.ts';

const { told } = useFailingService();

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

  test('a misspelt flag, and one without its value', async () => {
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

  test('an invalid value of a flag', async () => {
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

  test('deleting without a terminal', async () => {
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
