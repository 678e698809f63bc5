import { describe, expect, test } from 'vitest';
import { cli } from '../../../../support/client/host.fixture.ts';

const ID = '01980000-0000-7000-8000-0000000000b1';
const env = { SVC_SERVER: 'http://127.0.0.1:1', SVC_API_KEY: 'svc_test' };

test.each([
  ['spaces copy', 'The arguments <space> and <name> are missing'],
  ['spaces copy house', 'The argument <name> is missing'],
  ['spaces export', 'The arguments <space> and <file> are missing'],
  ['memories add', 'The arguments <space> and <path...> are missing'],
  ['retrieve', 'The argument <query> is missing'],
  ['users create', '--email and --display-name are required'],
  ['embedders create', '--provider, --name and --model are required'],
  ['embedders create --provider TEI --name x', '--model, --url and --dimensions are required'],
  ['embedders create --provider BUILTIN', '--name and --model are required'],
])('svc %s: all missing arguments and flags are named at once', async (line, message) => {
  const { code, stdout, stderr } = await cli(line.split(' '), { env });
  expect({ code, stdout }).toEqual({ code: 64, stdout: '' });
  expect(stderr.split('\n')[0]).toBe(`svc: ${message}`);
});

describe('a stdin without a byte', () => {
  test.each([
    [['retrieve', 'q', '--space', ID, '--context', '@-']],
    [['retrieve', 'q', '--space', ID, '--post-processor-config', '@-']],
    [['llms', 'update', ID, '--client-config', '@-']],
    [['ocr', '-']],
  ])('is an error: %j', async (args) => {
    const { code, stdout, stderr } = await cli(args, { env, offersAll: true });
    expect({ code, stdout }).toEqual({ code: 66, stdout: '' });
    expect(stderr).toBe('svc: stdin is empty\n  nothing was piped in\n');
  });
});
