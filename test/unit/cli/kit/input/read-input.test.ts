import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { useFailingService } from '../../errors.fixture.ts';
import { id } from '../../samples/values.fixture.ts';

const { sample, told } = useFailingService();

describe('files', () => {
  test('that do not exist', async () => {
    const lines: Readonly<Record<string, readonly string[]>> = {
      ocr: ['nowhere.pdf', 'svc'],
      eval: ['house nowhere.ndjson'],
      'memories add': ['house nowhere', 'house *.nothing'],
      'spaces import': ['nowhere.ndjson', 'svc'],
      'embedders update': [`${id('c1')} --secret-file nowhere`],
      'llms update': [`${id('d1')} --client-config @nowhere`],
      retrieve: ['boiler --context @nowhere', 'boiler --post-processor-config @nowhere'],
      'spaces list': ['--api-key-file nowhere'],
    };
    const situations = Object.entries(lines).flatMap(([path, ends]) =>
      ends.map((end) => ({ path, words: `${path} ${end}`.split(' ') })),
    );
    expect(await told(situations, 66)).toMatchSnapshot();
  });

  test('with the wrong content', async () => {
    const bad = async (name: string, text: string) => writeFile(join(sample.folder, name), text);
    await bad('empty.ndjson', '');
    await bad('broken.ndjson', '{"question":"a","memoryIds":["b"]}\n');
    await bad('not.ndjson', 'not JSON\n');
    await bad('half.ndjson', `${JSON.stringify({ space: { spaceId: id('b1'), name: 'house' }, embedders: [] })}\n`);
    const lines: Readonly<Record<string, readonly string[]>> = {
      eval: ['house empty.ndjson', 'house broken.ndjson', 'house not.ndjson', 'house -'],
      'spaces import': ['empty.ndjson', 'broken.ndjson', 'not.ndjson'],
    };
    const situations = Object.entries(lines).flatMap(([path, ends]) =>
      ends.map((end) => ({ path, words: `${path} ${end}`.split(' ') })),
    );
    expect(await told(situations, 65)).toMatchSnapshot();
  });
});
