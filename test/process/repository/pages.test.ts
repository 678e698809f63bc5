import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const FOLDERS = ['src', 'test', 'proto', 'docs', 'bench', 'bin', 'man', '.ci'];

/** Every file of the project and every folder, by its path below the root. */
const PATHS = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true }).map((entry) =>
    relative(ROOT, join(entry.parentPath, entry.name)),
  ),
);

const PAGES = ['README.md', ...PATHS.filter((path) => /^docs\/.*\.md$/.test(path))];

describe('pages', () => {
  it.each(PAGES)('%s links to files that exist', (page) => {
    const links = [...read(page).matchAll(/\]\((?!\w+:|#)([^)#\s]+)[^)]*\)/g)].map(([, target = '']) => target);
    expect(links.filter((target) => !existsSync(join(ROOT, dirname(page), target)))).toEqual([]);
  });

  it.each(PAGES)('%s names files of the project that exist', (page) => {
    const named = [...read(page).matchAll(/(?<![\w/.~-])(?:src|test|proto|docs|bench|\.ci)\/[\w./{},*<>-]*[\w}>*]/g)];
    expect(named.map(([path]) => path).filter((path) => !isThere(path))).toEqual([]);
  });

  it('docs/architecture.md names modules and folders that exist', () => {
    const quoted = [...read('docs/architecture.md').matchAll(/`(\w[\w./{},*<>-]*)`/g)].map(([, words = '']) => words);
    const named = quoted.filter((words) => /\.(?:ts|tsx|js|proto|sql|md)$|^(?!dist\/)\w.*\//.test(words));
    expect(named.length).toBeGreaterThan(90);
    expect(named.filter((path) => !isThere(path))).toEqual([]);
  });
});

function read(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8');
}

/** Whether the end of a path is that: `{a,b}` stands for each of them, `*` and `<name>` for any name. */
function isThere(path: string): boolean {
  const alternatives = /^(.*)\{([^}]*)\}(.*)$/.exec(path);
  if (alternatives !== null) {
    const [, before = '', names = '', after = ''] = alternatives;
    return names.split(',').every((name) => isThere(`${before}${name}${after}`));
  }
  const source = path.replace(/[.]/g, '\\.').replace(/\*|<\w+>/g, '[^/]*');
  const pattern = new RegExp(`(^|/)${source}$`);
  return PATHS.some((known) => pattern.test(known));
}
