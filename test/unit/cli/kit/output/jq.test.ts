import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Interrupted } from '../../../../../src/cli/kit/errors.ts';
import { runJq } from '../../../../../src/cli/kit/output/jq.ts';
import { pickMembers } from '../../../../../src/cli/kit/text/json-text.ts';
import { SAMPLE_HANDLERS } from '../../sample-records.fixture.ts';
import { useSampleService } from '../../sample-service.fixture.ts';
import { id } from '../../samples/values.fixture.ts';

const sample = useSampleService(SAMPLE_HANDLERS);
const svc = (...args: string[]) => sample.svc(args);
const onTerminal = (...args: string[]) => sample.svc(args, { terminal: true, columns: 80 });

describe('--json', () => {
  test('a list is one line in a pipe, its members in the order asked for, null where a record has none', async () => {
    const { code, stdout, stderr } = await svc('spaces', 'list', '--json', 'retentionDays, spaceId,publicRead');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(
      `[${[
        `{"retentionDays":365,"spaceId":"${id('b1')}","publicRead":false}`,
        `{"retentionDays":null,"spaceId":"${id('b2')}","publicRead":true}`,
        `{"retentionDays":null,"spaceId":"${id('b3')}","publicRead":false}`,
      ].join(',')}]\n`,
    );
  });

  test('a record is an object; a terminal gets it indented', async () => {
    expect((await svc('memories', 'get', id('f1'), '--json', 'memoryId')).stdout).toBe(`{"memoryId":"${id('f1')}"}\n`);
    expect((await onTerminal('memories', 'get', id('f1'), '--json=memoryId')).stdout).toBe(
      `{\n  "memoryId": "${id('f1')}"\n}\n`,
    );
  });

  test.each([
    [['--json'], '--json needs fields, separated by commas', 'apiKeyId, userId, '],
    [['--json', 'apiKeyID'], 'There is no field "apiKeyID"', 'Did you mean apiKeyId? There are: apiKeyId, '],
    [['--jq', '.'], '--jq needs --json', 'There are: apiKeyId, '],
    [['--json', 'labels', '-o', 'json'], 'Give --json or -o, not both', ''],
  ])('%j is refused before any call', async (flags, message, details) => {
    const before = sample.server.calls.length;
    const { code, stdout, stderr } = await svc('apikeys', 'list', ...flags);
    expect({ code, stdout }).toEqual({ code: 64, stdout: '' });
    // Without a value the fields are what people ask for.
    if (flags.length === 1) expect(stderr).toContain(`svc: ${message}\n  ${details}`);
    else expect(JSON.parse(stderr).error).toMatchObject({ message, details: expect.stringContaining(details) });
    expect(sample.server.calls).toHaveLength(before);
  });

  test('every digit and every string is preserved', () => {
    const json = '{"big":123456789012345678901,"text":"a\\",{[\\\\","deep":{"a":[{"b":"}"}]},"none":null}';
    expect(pickMembers(json, ['deep', 'big', 'nosuch', 'text'])).toBe(
      '{"deep":{"a":[{"b":"}"}]},"big":123456789012345678901,"nosuch":null,"text":"a\\",{[\\\\"}',
    );
  });

  test('picked members equal those of the record', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (record) => {
        const names = Object.keys(record);
        expect(JSON.parse(pickMembers(JSON.stringify(record), names))).toEqual(JSON.parse(JSON.stringify(record)));
      }),
    );
  });
});

describe('--jq', () => {
  test.each([
    [
      '.[].name | ascii_upcase',
      'HOUSE\n東京の図面と写真、二〇二六年の改築のために集めたもの\nFIRST LINE\nSECOND\u001b[2J\u001b[31M LINE\t\u0007END\n',
    ],
    ['map(.labels.team)', '["home",null,null]\n'],
    ['.[0] | .labels, .name', '{"team":"home","room":"cellar"}\nhouse\n'],
    ['empty', ''],
    ['["a\\u2028b"], {"\\u0085": 1}, "a\\u2028b"', '["a\\u2028b"]\n{"\\u0085":1}\na\u2028b\n'],
    ['"", "  a\\n\\u2028"', '\n  a\n\u2028\n'],
  ])('%s', async (expression, output) => {
    const { code, stdout } = await svc('spaces', 'list', '--json', 'name,labels', '--jq', expression);
    expect({ code, stdout }).toEqual({ code: 0, stdout: output });
  });

  test('a terminal gets values indented', async () => {
    const { stdout } = await onTerminal('spaces', 'get', id('b1'), '--json', 'name', '--jq', '.');
    expect(stdout).toBe('{\n  "name": "house"\n}\n');
    const hostile = await onTerminal('spaces', 'list', '--json', 'name', '--jq', '.[2].name');
    expect(hostile.stdout).toBe('first line\nsecond[2J[31m line\tend\n');
  });

  test.each([
    ['.[', 'syntax error'],
    ['.name', 'Cannot index array with'],
  ])('%s is reported with the message of jq', async (expression, problem) => {
    const { code, stdout, stderr } = await svc('spaces', 'list', '--json', 'name', '--jq', expression);
    expect({ code, stdout }).toEqual({ code: 64, stdout: '' });
    expect(JSON.parse(stderr).error).toMatchObject({
      message: 'The expression of --jq cannot be run',
      details: expect.stringContaining(problem),
    });
  });

  test('a long list is processed whole', async () => {
    // Several megabytes on their way in and out: at a quadratic price this takes hours.
    const expression = '[range(100000) | {text: ("x" * 50)}] | .[].text';
    const { code, stdout } = await svc('spaces', 'list', '--json', 'name', '--jq', expression);
    expect({ code, length: stdout.length }).toEqual({ code: 0, length: 5_100_000 });
    expect(
      await runJq(`[${'"yyyyyyyyy",'.repeat(300_000)}0]`, 'length', {
        isIndented: false,
        signal: new AbortController().signal,
      }),
    ).toBe('300001\n');
  });

  test('Ctrl-C ends an endless expression', async () => {
    const stop = new AbortController();
    const args = ['spaces', 'list', '--json', 'name', '--jq', '[range(1e15)]'];
    const ended = sample.svc(args, { signal: stop.signal });
    await expect.poll(() => sample.server.calls.at(-1)?.name).toBe('ListSpaces');
    setTimeout(() => stop.abort(new Interrupted('SIGINT')), 300);
    expect((await ended).code).toBe(130);
  });
});
