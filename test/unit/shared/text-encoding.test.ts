import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { textEncodingOf } from '../../../src/shared/text-encoding.ts';

const latin1 = (text: string) => Buffer.from(text, 'latin1');

test.each([
  ['nothing', Buffer.alloc(0), 'utf-8'],
  ['plain ASCII', Buffer.from('boiler'), 'utf-8'],
  ['UTF-8', Buffer.from('Kessel für Öl 🧭'), 'utf-8'],
  ['UTF-8 with a NUL', Buffer.from('a\0b\0\0c'), 'utf-8'],
  ['UTF-8 with one fault', Buffer.concat([Buffer.from('für Öl und süß '), Buffer.from([0xff])]), 'utf-8'],
  ['a log with colors', Buffer.from('\u001b[31mred\u001b[0m\r\n\t\f'), 'utf-8'],
  ['ISO 8859-1', latin1('Kessel f\u00fcr \u00d6l'), 'windows-1252'],
  ['windows-1252', Buffer.from([0x93, 0x68, 0x69, 0x94]), 'windows-1252'],
  ['UTF-16 with its mark', Buffer.from('\ufeffab', 'utf16le'), 'utf-16le'],
  ['the same in the other byte order', Buffer.from([0xfe, 0xff, 0, 0x41]), 'utf-16be'],
  ['random bytes', randomBytes(4096), undefined],
  ['a few bytes with a NUL', Buffer.from([0xff, 0, 0xfe, 0x80]), undefined],
  ['control characters and an invalid byte', Buffer.from([1, 2, 3, 4, 5, 0x80]), undefined],
])('%s', (_name, bytes, encoding) => {
  // UTF-16 is told by its first bytes, which random ones have once in thirty thousand runs.
  if (bytes.length === 4096) bytes[0] = 0x80;
  expect(textEncodingOf(bytes)).toBe(encoding);
});

test('an executable is no text', async () => {
  expect(textEncodingOf((await readFile(process.execPath)).subarray(0, 1_000_000))).toBeUndefined();
});
