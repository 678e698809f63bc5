import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useUploads } from './uploads.fixture.ts';

const { place, store } = useUploads();

test('text in another encoding is converted with a remark; binary content declared as text is refused', async () => {
  const { add, stored } = await store();
  await mkdir(join(place.folder, 'old'));
  await writeFile(join(place.folder, 'old/a.txt'), Buffer.from('Öl für den Kessel "neu"', 'latin1'));
  await writeFile(join(place.folder, 'old/b.html'), Buffer.from('<p>Caf\u00e9</p>', 'latin1'));
  await writeFile(join(place.folder, 'old/c.txt'), Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0xff, 0xfe, 0]));
  await writeFile(join(place.folder, 'old/d'), Buffer.from('caf\u00e9', 'latin1'));
  const { code, stderr } = await add(['old']);
  expect(code).toBe(65);
  expect(stderr).toContain('converted  old/a.txt: from windows-1252 to UTF-8\n');
  expect(stderr).toContain('failed  old/c.txt: It is not text: it would be stored as text/plain');
  expect(stderr).toContain('3 uploaded, 1 failed, 3 converted to UTF-8\n');
  const facts = [...stored.values()].map(({ contentType, originalContent }) => [
    contentType,
    Buffer.from(originalContent).toString(),
  ]);
  expect(facts.sort()).toEqual([
    ['text/html; charset=utf-8', '<p>Café</p>'],
    ['text/plain', 'café'],
    ['text/plain', 'Öl für den Kessel "neu"'],
  ]);
  expect((await add(['old/c.txt', '--content-type', 'application/x-elf'])).code).toBe(0);
  expect((await add(['old/b.html', '--content-type', 'text/html; charset=iso-8859-1'])).stderr).not.toContain(
    'converted',
  );
  await rm(join(place.folder, 'old'), { recursive: true });
});
