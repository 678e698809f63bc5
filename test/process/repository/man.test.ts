import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { offeredEntries } from '../../../src/cli/kit/command.ts';
import { manSource, RELEASED } from '../../../src/cli/man/man-page.ts';
import { manPages } from '../../../src/cli/man/pages.ts';
import { reference } from '../../../src/cli/man/reference.ts';
import { ENTRIES } from '../../../src/cli/registry.ts';
import { settingRows } from '../../../src/server/settings/table.ts';
import { hasTool } from '../../support/tools.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const MAN = join(ROOT, 'man');
const files = readdirSync(MAN).sort();
const sourceOf = (file: string): string => readFileSync(join(MAN, file), 'utf8');
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  version: string;
  man: string[];
};

describe('man pages', () => {
  test('equal those generated from the records (npm run gen)', async () => {
    const pages = await manPages(ENTRIES);
    expect(files).toEqual([...pages.keys()].sort());
    for (const [file, page] of pages) expect(sourceOf(file), file).toBe(manSource(page));
    expect(readFileSync(join(ROOT, 'docs/cli.md'), 'utf8')).toBe(await reference(ENTRIES));
  });

  test('npm installs each of them', () => {
    expect(manifest.man).toEqual(files.map((file) => `./man/${file}`));
  });

  test('carry the version of the package and its date', () => {
    expect(RELEASED.version).toBe(manifest.version);
    for (const file of files) expect(sourceOf(file)).toContain(`${RELEASED.date} "svc ${manifest.version}"`);
  });

  test('there is one for svc, each of its commands, and each topic', () => {
    const commands = offeredEntries(ENTRIES).map(({ name }) => `svc-${name}.1`);
    const topics = ['svc-environment.7', 'svc-exit-codes.7', 'svc-filters.7'];
    expect(files).toEqual(['svc.1', ...commands, ...topics].sort());
  });

  test('the page of the server has every setting with its variable', () => {
    const page = sourceOf('svc-serve.1').replaceAll('\\-', '-');
    for (const { flag, row } of settingRows()) {
      expect(page).toContain(`--${flag} `);
      expect(page.replaceAll('\\~', ' ')).toContain(`(env ${row.env})`);
    }
  });

  test('dots, quotes and backslashes are escaped', () => {
    const source = manSource({
      name: 'svc-x',
      section: 1,
      summary: 'x',
      usage: ['svc x <a> [flags]'],
      sections: [{ title: 'Code', blocks: [{ kind: 'code', lines: [".it's", 'a\\nb --c'] }] }],
      seeAlso: ['svc(1)', 'svc-y(7)'],
    });
    expect(source).toContain('\n\\fBsvc x\\fR <a> [flags]\n');
    expect(source).toContain('\n    .it\\(aqs\n    a\\enb \\-\\-c\n');
    expect(source).toContain('\n.BR svc (1) ,\n.BR svc\\-y (7)\n');
  });
});

if (hasTool('mandoc')) {
  test('mandoc reports no problem', () => {
    const paths = files.map((file) => join(MAN, file));
    expect(execFileSync('mandoc', ['-Tlint', '-W', 'style', ...paths], { encoding: 'utf8' })).toBe('');
  });

  test('examples render as they are typed', () => {
    const text = execFileSync('mandoc', ['-Tascii', '-O', 'width=200', join(MAN, 'svc-filters.7')], {
      encoding: 'utf8',
    });
    // A bold letter is written over itself.
    const parts = text.split('\b');
    const plain = parts.map((part, at) => (at < parts.length - 1 ? part.slice(0, -1) : part)).join('');
    expect(plain).toContain(`val('$.name') ILIKE 'o''neil%' OR val('$.name') ILIKE 'o\\'neal%'`);
  });
}
