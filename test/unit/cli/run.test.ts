import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

/** Runs any command; `src/cli/main.ts` loads it, and nothing that is heavy, before. */
const RUN = new URL('../../../src/cli/run.ts', import.meta.url);
const MAIN = new URL('../../../src/cli/main.ts', import.meta.url);
/** Statements that load a module; what is imported as a type alone is erased. */
const STATIC = /^(?:import|export)\s+(?!type\b)(?:[^'";]*?\sfrom\s+)?'([^']+)'/gm;

/** The packages that come with a module and all that it imports before it runs. */
function packagesOf(start: URL): string[] {
  const packages = new Set<string>();
  const seen = new Set<string>();
  const visit = (url: URL): void => {
    if (seen.has(url.href)) return;
    seen.add(url.href);
    for (const [, name = ''] of readFileSync(fileURLToPath(url), 'utf8').matchAll(STATIC)) {
      if (name.startsWith('.')) visit(new URL(name, url));
      else if (!isBuiltin(name)) packages.add(name);
    }
  };
  visit(start);
  return [...packages].sort();
}

/** Each package costs the time of loading it, in every command and in help: 40 ms for the codec of messages alone. */
test('the client starts with the parser and text measurement, and loads the other modules on demand', () => {
  expect(packagesOf(MAIN)).toEqual([]);
  expect(packagesOf(RUN)).toEqual(['commander', 'string-width']);
});
