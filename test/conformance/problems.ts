import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Chapter, TestReference } from './line.ts';
import { titlesIn } from './titles.ts';

/** References that name no test of this tree, one sentence each. Paths are taken under `testFolder`. */
export function missingTests(chapters: readonly Chapter[], testFolder: string): string[] {
  const known = new Map<string, Set<string>>();
  const isThere = (reference: TestReference): boolean => {
    const { file, title } = partsOf(reference);
    const path = join(testFolder, file);
    const titles = known.get(path) ?? (existsSync(path) ? titlesIn(path) : new Set<string>());
    known.set(path, titles);
    return titles.has(title);
  };
  return chapters.flatMap((chapter) =>
    chapter.lines.flatMap((line) =>
      ('shownBy' in line ? line.shownBy : [])
        .filter((reference) => !isThere(reference))
        .map((reference) => `${chapter.title}: "${line.says}" names a test that does not exist: ${reference}`),
    ),
  );
}

export function partsOf(reference: TestReference): { file: string; title: string } {
  const end = reference.indexOf('.ts: ') + '.ts'.length;
  return { file: reference.slice(0, end), title: reference.slice(end + ': '.length) };
}
