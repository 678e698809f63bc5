import { expect, test } from 'vitest';
import { DEFAULT_CHUNKING } from '../../../../src/server/workers/chunk/config.ts';
import { prepareContent, prepareContents } from '../../../../src/server/workers/prepare-content.ts';

const limits = { outputCharacters: 33_554_432 };
const input = (bytes: Uint8Array, contentType = 'text/plain') => ({
  contentType,
  parts: [bytes],
  chunking: DEFAULT_CHUNKING,
  limits,
});

test('of several contents each has its own outcome, and one with a long text is left to be prepared by itself', async () => {
  const short = input(Buffer.from('a short text'));
  const long = input(Buffer.alloc(65_537, 'word '));
  const unreadable = input(Buffer.from('%PDF-1.7'), 'image/png');
  expect(await prepareContents([short, long, unreadable, short])).toEqual([
    { content: await prepareContent(short) },
    { isLong: true },
    { error: expect.objectContaining({ name: 'ExtractionError' }) },
    { content: await prepareContent(short) },
  ]);
  expect((await prepareContent(long)).text).toHaveLength(65_537);
});
